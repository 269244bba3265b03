import Foundation

struct CartLine: Identifiable, Codable, Hashable {
    let id: UUID
    let sku: String
    var quantity: Int
    let cents: Int
}

@Observable
final class Cart {
    private(set) var lines: [CartLine] = []

    var total: Int { lines.reduce(0) { $0 + $1.cents * $1.quantity } }

    func add(sku: String, cents: Int) {
        if let index = lines.firstIndex(where: { $0.sku == sku }) {
            lines[index].quantity += 1
        } else {
            lines.append(CartLine(id: UUID(), sku: sku, quantity: 1, cents: cents))
        }
    }

    func remove(_ line: CartLine) {
        lines.removeAll { $0.id == line.id }
    }
}
