"""Tests of retick new."""
