"""Tests of retick.integrations."""
