"""What must hold of every position method under every id scheme. `posemb check` and the tests run the same code."""
