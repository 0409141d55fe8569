import 'server-only'

/** Shorter parts of a path are words such as `rpc` and `v3`, and what is shorter than the other is no secret. */
const MIN_SEGMENT_CHARACTERS = 8
const MIN_VALUE_CHARACTERS = 4
const HIDDEN = '(node)'

/** Texts of a node's address that nobody else may see: where it is, and the keys in it. Longest first, lower case. */
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

/** What `Authorization: Basic` says for the user and password of an address. */
export function basicToken({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined
  return Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64')
}

/** Whether any of them is in there, in whatever case. */
export function hasSecret(text: string, secrets: readonly string[]): boolean {
  const lower = text.toLowerCase()
  return secrets.some((secret) => lower.includes(secret))
}

/** The text with every secret replaced, in whatever case it stands there. */
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
