# Builds the archive that people install, and installs it alone.
FROM node:22-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --ignore-scripts
RUN npm run build
RUN node scripts/pack-all.mjs /packed
WORKDIR /app
RUN npm install --ignore-scripts --no-audit --no-fund /packed/touchstone-[0-9]*.tgz pg@8

# What runs: Node, the archive with its dependencies, the driver of PostgreSQL, and no package manager.
FROM node:22-slim
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn* /opt/yarn*
COPY --from=build /app/node_modules /app/node_modules
RUN ln -s /app/node_modules/.bin/touchstone /usr/local/bin/touchstone && install -d -o node -g node /data
USER node
# The configuration is looked for here, and its files are relative to it.
WORKDIR /etc/touchstone
VOLUME /data
EXPOSE 8787
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "-e", "fetch('http://127.0.0.1:8787/healthz').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["touchstone"]
CMD ["serve", "--bind", "0.0.0.0", "--data", "/data"]
