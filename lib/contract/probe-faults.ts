/** Marks a sentence for translators, as `msg` of lib/i18n does, which stands above the contract. */
const msg = <S extends string>(sentence: S): S => sentence

/** Says why a server cannot be connected and what to do about it. The page translates what the API and commands say. */
export const PROBE_SENTENCES = {
  'bad-address': msg(
    'This is not an address. Enter one that starts with https:// or http://, without user, query or fragment.',
  ),
  insecure: msg('The key would be sent unencrypted over the internet. Use an address that starts with https://.'),
  unreachable: msg('The server cannot be reached. Check the address, and that the server is running.'),
  timeout: msg('The server did not answer in time. Check that it is running, and try again.'),
  redirect: msg('The server redirects to another address. Enter that address instead.'),
  'not-an-api': msg('No API answers at this address. Enter the base URL of the API; it often ends in /v1.'),
  'key-missing': msg('The server needs a key. Enter one.'),
  'key-refused': msg('The server refused the key. Check that it is complete and has not been revoked.'),
  'no-credit': msg('The account at the provider has no credit left. Add credit there, and try again.'),
  busy: msg('The server is busy, or the key has reached its rate limit. Try again in a minute.'),
  'no-model': msg('The server does not serve this model. Choose another one.'),
  failed: msg('The server answered with an error. Try again later.'),
} as const

export type ProbeFault = keyof typeof PROBE_SENTENCES
