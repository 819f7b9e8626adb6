"""Many runs that answer one question: their plan, the engines that run them, and what they came to."""
