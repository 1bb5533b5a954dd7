# Tollgate with git, and nothing else: an image with your agents begins with `FROM` this one.
FROM rust:1.95-alpine AS build
RUN apk add --no-cache musl-dev gcc
WORKDIR /source
COPY . .
RUN cargo build --release --locked --package tollgate && cp target/release/tollgate /tollgate

FROM alpine:3
RUN apk add --no-cache git ca-certificates \
    && adduser -D -u 1000 tollgate \
    && install -d -m 1777 /state
COPY --from=build /tollgate /usr/local/bin/tollgate
COPY LICENSE-MIT LICENSE-APACHE /usr/share/licenses/tollgate/
# Workspaces of sessions; a volume keeps them. Whoever `--user` names can write it.
ENV TOLLGATE_STATE_HOME=/state
USER tollgate
ENTRYPOINT ["tollgate"]
CMD ["--help"]
