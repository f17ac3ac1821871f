# The service as an image: packages, the web pages and the bundle are made in the first stage, the second holds what runs.
#   docker build -t rostrum . && docker run -p 4400:4400 -v rostrum:/data rostrum
# By digest, as Docker's repo-info names them (all platforms): a tag moves. /docs/operate says how to take others.
ARG BUILD_IMAGE=node:26-bookworm-slim@sha256:e999d087492c7227c85adc70574cf9d3cce774c3e6d7b8dfe473ee6b142c8f2c
ARG RUN_IMAGE=debian:bookworm-slim@sha256:abd67ffcfa541b485a3dff59865ab629aa048a6c613e639d36e7456b0b229241

FROM ${BUILD_IMAGE} AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages packages
COPY web/package.json web/
COPY client/package.json client/
# What the lock names and nothing else; it holds the packages of every platform (test/containers.test.ts).
RUN npm ci --no-audit --no-fund --loglevel=error
COPY . .
# Of the packages, what builds the pages and the headers of Node.js stay behind.
RUN node scripts/setup.mjs start \
  && npm pkg delete workspaces && npm prune --omit=dev --no-audit --no-fund --loglevel=error \
  && rm -rf node_modules/node-linux-*/include

FROM ${RUN_IMAGE}
ENV ROSTRUM_HOST=0.0.0.0 ROSTRUM_DATA_DIR=/data NODE_COMPILE_CACHE=/tmp/node-compile-cache
# The one library of Node.js that the base leaves out.
RUN apt-get update && apt-get install -y --no-install-recommends libatomic1 && rm -rf /var/lib/apt/lists/*
RUN useradd --system --create-home --uid 10001 rostrum && install -d -o rostrum -g rostrum -m 0700 /data
WORKDIR /app
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/package.json package.json
COPY --from=build /app/bin bin
COPY --from=build /app/server server
COPY --from=build /app/packages packages
COPY --from=build /app/web/dist web/dist
# After the sources: `bin/rostrum` takes a bundle that is younger.
COPY --from=build /app/dist dist
USER rostrum
VOLUME /data
EXPOSE 4400
# The runtime is a package of the project; it asks itself whether it is ready.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node_modules/.bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.ROSTRUM_PORT ?? 4400}/readyz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
ENTRYPOINT ["bin/rostrum"]
CMD ["serve"]
