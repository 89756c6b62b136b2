# SPDX-License-Identifier: Apache-2.0
"""Flat view models: what a template prints, decided before the template is entered."""
