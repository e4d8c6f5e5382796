"""The public import path of desync bundles; the code is in ``audit.desync.bundle``."""

from retick.audit.desync.bundle import Bundle, bundle_of, load_bundle, save_bundle

__all__ = ["Bundle", "bundle_of", "load_bundle", "save_bundle"]
