/**
 * Replaces the decimal comma of a typed number. A comma before the three last digits stays: it may group thousands, unless
 * only a 0 stands before it. @example toDecimalPoint('0,125') // "0.125"
 */
export const toDecimalPoint = (typed: string): string =>
  /^(0,\d+|\d+,(?!\d{3}$)\d+)$/.test(typed) ? typed.replace(',', '.') : typed
