terraform {
  required_version = ">= 1.7"
  required_providers {
    aws = { source = "hashicorp/aws", version = "~> 5.40" }
  }
}

variable "environment" {
  type = string
}

resource "aws_s3_bucket" "exports" {
  bucket = "shop-exports-${var.environment}"
  tags   = { service = "billing", environment = var.environment }
}

resource "aws_s3_bucket_lifecycle_configuration" "exports" {
  bucket = aws_s3_bucket.exports.id
  rule {
    id     = "expire"
    status = "Enabled"
    expiration { days = 30 }
    filter {}
  }
}

output "bucket" {
  value = aws_s3_bucket.exports.arn
}
