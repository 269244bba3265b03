# frozen_string_literal: true

namespace :release do
  desc 'Write the changelog of the next version'
  task :notes, [:version] => :environment do |_, args|
    log = `git log --format=%s v#{Shop::VERSION}..HEAD`.lines.map(&:chomp)
    groups = log.group_by { |line| line[/\A(\w+):/, 1] || 'other' }
    text = groups.sort.map { |name, lines| "### #{name}\n\n#{lines.map { |l| "- #{l}" }.join("\n")}\n" }
    File.write("docs/releases/#{args[:version]}.md", "# #{args[:version]}\n\n#{text.join("\n")}")
  end
end
