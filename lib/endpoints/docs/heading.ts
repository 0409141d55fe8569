/** A part of a page, as its contents list it. */
export type Heading = { id: string; text: string; level: 2 | 3 }
