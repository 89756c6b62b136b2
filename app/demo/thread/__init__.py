# SPDX-License-Identifier: Apache-2.0
"""A public thread about one change, retold: one file a study."""
