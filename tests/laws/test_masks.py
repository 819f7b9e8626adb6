"""What is defined for the past alone refuses a prompt that looks ahead."""

import pytest

from posemb.errors import UsageError
from posemb.laws.subject import Method, Subject
from tests.laws.subjects import METHODS, SCHEMES


@pytest.mark.parametrize("method", METHODS, ids=[method.name for method in METHODS])
def test_what_is_causal_only_refuses_a_prompt_that_looks_ahead(method: Method):
    subject = Subject(method, SCHEMES["sequential"], "prefix")
    if method.causal_only:
        with pytest.raises(UsageError, match="causal attention only"):
            subject.model()
    else:
        subject.model()
