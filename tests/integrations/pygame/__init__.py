"""Tests of retick.integrations.pygame."""
