"""The exercises, a folder for each chapter and a module for each exercise."""
