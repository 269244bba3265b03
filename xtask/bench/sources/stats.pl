#!/usr/bin/perl
use strict;
use warnings;

my %count;
while (my $line = <>) {
    chomp $line;
    next unless $line =~ m{"(GET|POST) (/\S*) HTTP/[\d.]+" (\d{3})};
    my ($method, $path, $status) = ($1, $2, $3);
    $path =~ s{/\d+}{/:id}g;
    $count{"$method $path"}{$status}++;
}
for my $route (sort keys %count) {
    my $statuses = $count{$route};
    printf "%-40s %s\n", $route, join ' ', map { "$_=$statuses->{$_}" } sort keys %$statuses;
}
