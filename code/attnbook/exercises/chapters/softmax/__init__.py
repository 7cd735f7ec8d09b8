"""Exercises of the chapter on softmax and log-sum-exp."""
