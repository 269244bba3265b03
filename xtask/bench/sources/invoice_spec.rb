# frozen_string_literal: true

require 'rails_helper'

RSpec.describe Invoice do
  subject(:invoice) { create(:invoice, :sent, lines: build_list(:line, 2, price_cents: 150, quantity: 2)) }

  it 'adds up its lines' do
    expect(invoice.total_cents).to eq(600)
  end

  describe '#pay!' do
    it 'sends a receipt' do
      expect { invoice.pay! }.to have_enqueued_mail(InvoiceMailer, :receipt)
    end

    it 'refuses a draft' do
      expect { build(:invoice).pay! }.to raise_error(/cannot pay a draft/)
    end
  end
end
