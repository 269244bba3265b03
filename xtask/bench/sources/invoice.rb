# frozen_string_literal: true

class Invoice < ApplicationRecord
  belongs_to :customer
  has_many :lines, -> { order(:position) }, dependent: :destroy, inverse_of: :invoice

  enum :status, { draft: 0, sent: 1, paid: 2, cancelled: 3 }

  validates :number, presence: true, uniqueness: true
  validates :lines, presence: true, unless: :draft?

  scope :overdue, ->(days = 0) { sent.where(due_on: ...days.days.ago.to_date) }

  before_validation :set_number, on: :create

  def total_cents
    lines.sum { |line| line.price_cents * line.quantity }
  end

  def pay!(at: Time.current)
    raise "cannot pay a #{status} invoice" unless sent?

    update!(status: :paid, paid_at: at)
    InvoiceMailer.with(invoice: self).receipt.deliver_later
  end

  private

  def set_number
    last = self.class.maximum(:number).to_s[/\d+\z/].to_i
    self.number ||= format('R-%<year>d-%<n>05d', year: Date.current.year, n: last + 1)
  end
end
