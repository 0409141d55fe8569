/** An object as an upstream sent it: any field may be missing or of another type than documented. */
export type WireObject = Record<string, unknown>

export const isWireObject = (value: unknown): value is WireObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The text, or nothing for every other type and for empty text. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined
