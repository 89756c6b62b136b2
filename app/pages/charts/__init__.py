# SPDX-License-Identifier: Apache-2.0
"""Plots as inline SVG, one file a plot, every planned unit in each."""
