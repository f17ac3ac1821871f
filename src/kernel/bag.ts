// What comes and goes by the thousand. A Set or a Map that is added to and deleted from all the time is made anew again and again, and
// each old table points to the next: as soon as one has outlived the young generation, all that was ever in the later ones stays until
// the next full collection. That was a quarter of the CPU of a webhook.

/** Where a value is in its bag. */
export interface Place<T> {
  readonly value: T
  /** -1 once it has been taken out. */
  index: number
}

export class Bag<T> {
  readonly #places: Place<T>[] = []

  get size(): number {
    return this.#places.length
  }

  add(value: T): Place<T> {
    const place = { value, index: this.#places.length }
    this.#places.push(place)
    return place
  }

  /** False where it has been taken out before. */
  remove(place: Place<T>): boolean {
    const { index } = place
    if (index < 0) return false
    const last = this.#places.pop()
    if (last !== undefined && last !== place) {
      this.#places[index] = last
      last.index = index
    }
    place.index = -1
    return true
  }

  /** As they are now, in no order. */
  places(): Place<T>[] {
    return [...this.#places]
  }
}
