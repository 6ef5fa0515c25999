# layoutd and layoutctl on Debian 12 (CPU); how to run it: deploy/README.md.
FROM debian:bookworm AS build
WORKDIR /src
# The packages first: they change less often than the sources.
COPY deploy/install_packages.sh deploy/
RUN deploy/install_packages.sh build
COPY CMakeLists.txt CMakePresets.json ./
COPY proto proto
COPY engine engine
COPY server server
COPY client client
RUN cmake --preset release -DBUILD_TESTING=OFF \
 && cmake --build --preset release --target layoutd layoutctl \
 && strip build/release/server/layoutd build/release/client/cpp/layoutctl

FROM debian:bookworm-slim
COPY deploy/install_packages.sh /tmp/
RUN /tmp/install_packages.sh runtime \
 && rm -rf /tmp/install_packages.sh /var/lib/apt/lists/* \
 && useradd --no-create-home --uid 10001 --shell /usr/sbin/nologin layoutd
COPY --from=build /src/build/release/server/layoutd \
                  /src/build/release/client/cpp/layoutctl /usr/local/bin/
COPY LICENSE /usr/share/doc/layoutd/copyright
USER layoutd
EXPOSE 5733
HEALTHCHECK --interval=10s --timeout=5s --start-period=5s \
  CMD ["layoutctl", "--target", "127.0.0.1:5733", "info"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["layoutd"]
# Reachable from inside the container only; opening it is the operator's word.
CMD ["--listen", "127.0.0.1:5733"]
