# SPDX-License-Identifier: Apache-2.0
# Exact tags, not digests: no image registry could be asked where this was written. Put a digest
# behind the tag (image:tag@sha256:...) before relying on it.
FROM python:3.11.14-slim-bookworm AS build
WORKDIR /src
COPY requirements.txt ./
RUN python -m venv /opt/fairtrial \
    && /opt/fairtrial/bin/pip install --no-cache-dir --require-hashes -r requirements.txt
COPY pyproject.toml README.md LICENSE ./
COPY app app
COPY migrations migrations
COPY protocols protocols
COPY schemas schemas
COPY docs/glossary.md docs/problems.md docs/
# Not editable: the wheel carries these inside the package.
RUN /opt/fairtrial/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.11.14-slim-bookworm
RUN useradd --system --uid 10001 --no-create-home fairtrial \
    && install -d -o fairtrial -g fairtrial -m 0700 /srv/fairtrial
COPY --from=build /opt/fairtrial /opt/fairtrial
ENV PATH=/opt/fairtrial/bin:$PATH PYTHONUNBUFFERED=1
USER fairtrial
WORKDIR /srv/fairtrial
VOLUME /srv/fairtrial
EXPOSE 8000
CMD ["fairtrial", "serve", "--host", "0.0.0.0", "--port", "8000"]
