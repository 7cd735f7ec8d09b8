"""Mistakes that exercises of several chapters share, each with its sentence."""
