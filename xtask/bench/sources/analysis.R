library(dplyr)
library(ggplot2)

orders <- read.csv("data/orders.csv", stringsAsFactors = FALSE) |>
  mutate(month = format(as.Date(created_at), "%Y-%m"))

monthly <- orders |>
  group_by(month, country) |>
  summarise(total = sum(total_cents) / 100, orders = n(), .groups = "drop")

ggplot(monthly, aes(month, total, colour = country, group = country)) +
  geom_line() +
  labs(x = NULL, y = "total in EUR")

ggsave("build/monthly.png", width = 9, height = 5)
