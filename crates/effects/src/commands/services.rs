//! The machine's services, firewall, storage and users.

/// Services that agents start and stop as part of their work.
const OWN: &str = "docker|docker.service|docker.socket|podman*|postgresql*|postgres*|mysql*|mariadb*|redis*|valkey*|mongod*|nginx*|apache2*|\
    httpd*|caddy*|rabbitmq*|elasticsearch*|opensearch*|memcached*|php*-fpm*|ollama*|grafana*|prometheus*|minio*|kafka*|\
    zookeeper*|jenkins*|supervisor*|tomcat*|traefik*|haproxy*|clickhouse*|influxdb*|cassandra*";

/// Patterns may say `@own` for those services.
pub(super) fn is_own(service: &str) -> bool {
    OWN.split('|').any(|one| super::verbs::glob_fits(one.trim(), service))
}
