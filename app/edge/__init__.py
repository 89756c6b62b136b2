# SPDX-License-Identifier: Apache-2.0
"""What REST and pages share at the border: problems, limits, caching, media types, dependencies."""
