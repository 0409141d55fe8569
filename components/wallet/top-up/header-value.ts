/** JSON as a header carries it: base64 of its UTF-8. */
export function headerValue(value: unknown): string {
  return btoa(Array.from(new TextEncoder().encode(JSON.stringify(value)), (byte) => String.fromCharCode(byte)).join(''))
}
