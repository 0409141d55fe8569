import 'server-only'

/** Shorter path segments are words such as `rpc` and `v3`. */
const MIN_SEGMENT_CHARACTERS = 8
const MIN_VALUE_CHARACTERS = 4
const HIDDEN = '(node)'

/** Lists the parts of a node's address that must show nowhere: host and keys, longest first, lower case. */
export function secretsOf(url: URL): string[] {
  const { username, password, host, hostname, pathname, search, searchParams } = url
  const written = [...search.slice(1).matchAll(/=([^&]*)/g)].map(([, value = '']) => value)
  const values = [username, password, ...searchParams.values(), ...written, basicToken(url) ?? '']
  const secrets = [
    // A name without a dot is a word of everyday, such as `node` or `result`.
    ...[host, hostname].filter((name) => /[.:]/.test(name)),
    ...values.filter((value) => value.length >= MIN_VALUE_CHARACTERS),
    ...pathname.split('/').filter((segment) => segment.length >= MIN_SEGMENT_CHARACTERS),
  ]
  const spellings = new Set(secrets.flatMap((text) => [text.toLowerCase(), decoded(text).toLowerCase()]))
  return [...spellings].sort((one, other) => other.length - one.length)
}

export function basicToken({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  return Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')
}

export function hasSecret(text: string, secrets: readonly string[]): boolean {
  const lower = text.toLowerCase()
  return secrets.some((secret) => lower.includes(secret))
}

export function scrub(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) clean = clean.replace(new RegExp(secret.replace(/[^a-z0-9]/g, '\\$&'), 'gi'), HIDDEN)
  return clean
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // A lone % is allowed in an address; it then stands for itself.
    return text
  }
}
