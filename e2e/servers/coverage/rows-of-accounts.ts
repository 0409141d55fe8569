import type { ContractRow } from '@/e2e/servers/coverage/rows'

const V1 = 'app/api/v1'
const CHAT = `${V1}/chat/completions`
const CHARACTERS = `${V1}/characters/`
const MADE = 'app/api/characters/'
const BILLING = `${V1}/billing/`
const KEYS = `${V1}/api_keys/`
const WEB3 = `${V1}/api_keys/generate_web3_key/`
const READS = `${V1}/x402/`
const TOP_UP = `${V1}/x402/top-up/`
const TERMS = 'lib/services/payments/'
const WALLETS = 'e2e/contract/wallets'
const SIGN_IN = 'lib/services/identity/sign-in/'
const REFUSALS = 'lib/services/identity/sign-in/refusals'
const RPC = 'e2e/contract/rpc'

/** The other half: accounts, wallets, networks. */
export const ACCOUNT_ROWS: Record<string, readonly ContractRow[]> = {
  'characters.md': [
    ['every field, nothing internal', CHARACTERS, 'has every field of the contract, and nothing that is internal'],
    ['a UUID resolves', CHARACTERS, 'is found by its id in any case, as files’ characters are'],
    ['`userRating`', CHARACTERS, 'tells the caller’s own rating'],
    ['`search`', CHARACTERS, 'searches names, descriptions and tags, whatever the case'],
    [
      '`tags`, `categories`: any, repeated or with commas',
      CHARACTERS,
      'filters by any of several tags and categories, repeated or with commas',
    ],
    ['`modelId`, `isPro`, `isWebEnabled`', CHARACTERS, 'filters by model, Pro and web'],
    ['`isAdult`', CHARACTERS, 'shows what is for adults only when asked, and then nothing else'],
    ['`sortBy`, `sortOrder`', CHARACTERS, 'sorts as asked, both ways'],
    ['`limit`, `offset`', CHARACTERS, 'comes in pages that neither overlap nor leave anything out'],
    ['20 items, 100 and 200 characters', CHARACTERS, 'a wrong %s is refused by name: %.30s'],
    [
      'wallets are not accepted',
      CHARACTERS,
      'nobody else does: no credentials, a wallet’s header, a page of another origin',
    ],
    ['reviews: fields, `isOwner`', MADE, 'are one for each account, which may change it and take it back'],
    ['reviews: newest first, pages, summary, headers', MADE, 'come newest first in pages, with what the pages need'],
    ['effect in a chat', CHAT, 'the service speaks first, then the character, then the caller'],
    [
      'a custom prompt switches the default one off',
      CHAT,
      'a character with a prompt of its own kind does without the service’s',
    ],
  ],
  'billing.md': [
    [
      'an entry’s fields, a row for each priced part',
      BILLING,
      'has a row for each priced part, a debit is negative, tokens count by the million',
    ],
    [
      'CSV: columns, line ends, type, file name, cursor in a header',
      BILLING,
      'is CSV for who accepts it: the contract’s columns, plain line feeds, the cursor in a header',
    ],
    [
      'leading `= + - @` is neutralised',
      BILLING,
      'text that a spreadsheet would run is made harmless, numbers are not',
    ],
    [
      'balance: currency that is next, bundled as USD',
      BILLING,
      'names the currency that is spent next, and counts bundled credit as dollars',
    ],
    ['balance: nulls', BILLING, 'of an account without money says so'],
    ['`canConsume` from 0.10 USD', BILLING, 'less than ten cents may not begin'],
    [
      'usage: pages, totals, headers, deprecation',
      BILLING,
      'pages by number, newest first, and names its successor on every reply',
    ],
    ['usage: deprecation on errors', BILLING, '%s is 400, with the notice'],
    ['usage as CSV', `${BILLING}usage/`, 'is CSV for who accepts it'],
    ['usage: 10 a minute, its headers', BILLING, 'takes ten a minute, and says when the next may come'],
    [
      'usage after its sunset: 410',
      BILLING,
      'is gone once the operator’s day has come, and says what replaces each field',
    ],
    [
      'history: keyset walk, ascending, adds up',
      BILLING,
      'is walked to its end in pages, each row once, and adds up to the ledger to the last digit',
    ],
    [
      'history: start inclusive, end exclusive, currency',
      BILLING,
      'a filter bounds time from its start on and before its end, and chooses a currency',
    ],
    ['history: a cursor carries its filter', BILLING, 'a cursor keeps the filter of its first page'],
    [
      'history: cursor with filter, altered, foreign → 400',
      BILLING,
      'a cursor with a filter, an altered one, and one of another account are 400',
    ],
    [
      'history: a cursor ends after 24 h',
      'lib/services/',
      'a cursor holds all of a walk, for the account that it was made for and for a day',
    ],
    ['analytics: all fields, adds up', BILLING, 'tells usage by day, model and key, and adds up to the ledger'],
    ['analytics: top 8', BILLING, 'names eight at most, and no name takes the place of the day'],
    [
      'analytics: dates beat `lookback`, 90 days',
      BILLING,
      'a period in two dates wins over the number of days, and more than ninety days are ninety',
    ],
    ['analytics: 10 minutes', BILLING, 'the same period is told again for ten minutes'],
    [
      'analytics: 504',
      'lib/services/',
      'a report that the database ends for its length is a 504 that asks for a shorter range',
    ],
    ['unit and model types, breakdown', 'lib/services/', '%s of %s counts %s and is %s'],
  ],
  'api-keys.md': [
    [
      'create: reply, secret once, hash kept',
      KEYS,
      'answers all that the key is, and its secret, which nothing tells again',
    ],
    ['defaults; `""` never ends', KEYS, 'has no limits, a day’s period, all models and no end when nothing is said'],
    ['past, malformed, unknown → 400', KEYS, '%j is 400 and names the field'],
    ['20 a minute', KEYS, 'takes twenty a minute, and tells when to come back'],
    ['500 active keys', 'lib/services/', 'an account has at most 500 active keys'],
    [
      'list: fields, newest first, usage as strings of 4 decimals',
      KEYS,
      'list the account’s active keys, newest first, with what each used',
    ],
    [
      'only active keys, only one’s own; unknown → 400',
      KEYS,
      'show no key of another account, none that ended, and none that cannot be one',
    ],
    ['`lastUsedAt`', 'lib/services/', 'the last use of many keys is written in one go, and never moves back'],
    [
      'update: null removes, absent keeps, no `usage`',
      KEYS,
      'changes what is named and keeps the rest; a limit of null goes',
    ],
    ['expired or foreign → 400', KEYS, 'an expired key, and one of another account, are unknown'],
    ['delete: query or body, at once', KEYS, 'ends a key at once, by the query or by a body; another account’s stays'],
    ['a key may delete itself', KEYS, 'a key may end itself'],
    ['USD cap counts USD and bundled', 'lib/services/', 'the USD limit counts USD and bundled credits, held and spent'],
    [
      'DIEM cap counts DIEM',
      'lib/services/',
      'the DIEM limit counts DIEM; other money that the key may spend is used instead',
    ],
    [
      'a key from birth to end, by a client',
      'e2e/servers/account',
      'a key is made, spends to its limit, shows in the books to the last digit, and ends',
    ],
    ['rate_limits: all fields', KEYS, 'tells what the calling key may do'],
    [
      'rate_limits: the real admission answer',
      KEYS,
      'a key that reached its limit is not let in, though the account has money',
    ],
    ['log: the last 50', KEYS, 'tells the last fifty refusals of the account, newest first'],
    ['log: `endpoint:api/v1/<route>`', KEYS, 'names a limit that belongs to no model by its path'],
    ['web3: steps 1 to 7', WEB3, 'gets a key for a signed token, in the wallet’s own account'],
    ['web3: EIP-1271', WEB3, 'that is a contract gets one too, by what it says of the signature'],
    ['web3: a token works once', WEB3, 'gets one key for a token, however many ask at once'],
    ['web3: token faults in words of their own', WEB3, 'a token %s'],
    [
      'web3: address, signature, stake',
      WEB3,
      'a bad address, another’s signature, and no stake: each in its own words',
    ],
    ['web3: RPC failed', WEB3, 'a node that does not answer is a passing fault'],
    ['web3: no staking → 503', WEB3, 'without staking there are no such keys'],
  ],
  'x402.md': [
    ['2.1, 2.2 discovery', TERMS, 'who sends nothing learns all ways to pay and to sign in, and nothing else'],
    ['2.3 insufficient credit', TERMS, 'learns what it has, what is needed and how to get it'],
    [
      '2.3 below a price: `minimumBalanceUsd`',
      CHAT,
      'above it, but below the price of the work, the minimum is what the work takes to begin',
    ],
    ['2.4 top-up terms', TOP_UP, 'without a payment it says what can be paid, EVM first, whatever the body is'],
    ['a fresh nonce each time', TERMS, 'no nonce is given twice'],
    [
      '3.1 message form, both families',
      SIGN_IN,
      '%s: the account is made with the first proof and found with the next',
    ],
    ['3.2 structured form', SIGN_IN, '%s: counts like the message form'],
    ['3.3 one or two empty lines', SIGN_IN, '%s: with one and with two empty lines where there is no statement'],
    ['3.3 times', SIGN_IN, 'times, to the millisecond'],
    ['3.3 domains', `${SIGN_IN}claims`, 'domains'],
    ['3.4 order of faults', SIGN_IN, 'the first fault in the order of the contract is the one that is told'],
    ['3.4 payloads', REFUSALS, 'payloads'],
    ['3.4 Solana signatures', REFUSALS, 'Solana'],
    ['3.4 step 12: once', SIGN_IN, 'works once, whatever the wallet signs next'],
    [
      '3.4 step 12: again where it is only read',
      'e2e/contract/sign-in',
      'a header serves once where money is spent, and again where it is only read',
    ],
    [
      'the nonce is spent though the request fails',
      'lib/pipeline/',
      'a nonce is used up even where the request then fails',
    ],
    ['4.2 shapes A, B, C under each header', TOP_UP, '%s takes version 2, version 1 and their mixture'],
    [
      '4.2 by clients that others wrote',
      WALLETS,
      'version 1 clients pay, under each header and with either version number',
    ],
    ['4.3 checks 2 to 9 and 11', TOP_UP, 'a payment that is refused by what it says'],
    [
      '4.3 the same payment again',
      TOP_UP,
      'a payment that is sent again gets the first answer, whatever was paid since',
    ],
    ['4.3 while it settles: 409', TOP_UP, 'a payment that another request settles: 409, and when to come back'],
    [
      '4.3 refused: 402 with terms',
      TOP_UP,
      'a payment that can never settle: 402, the reason, and the terms for another',
    ],
    [
      '4.3 unknown: 503, `paymentId`, `Retry-After`',
      TOP_UP,
      'a payment of which nobody knows yet: 503, its id, and when to come back',
    ],
    ['4.3 not configured: 503', TOP_UP, 'no way to pay: 503'],
    ['4.3 the payer chooses the amount', WALLETS, 'a payer chooses more than what is asked for'],
    ['4.3 double submit in parallel: one credit', WALLETS, 'twenty copies of one payment at once are one credit'],
    ['10 a minute and address', TOP_UP, 'an address may ask ten times a minute'],
    ['5 fields, headers', READS, 'has the fields of the contract and says what may be spent'],
    ['5 `canConsume`, `diemBalanceUsd`', READS, '%s USD and %s DIEM can begin a request: %s'],
    ['5 and 6: 401, 403, 400', READS, 'who may read the %s'],
    ['5 and 6: 30 and 20 a minute', READS, 'not more often than the contract says, counted by wallet'],
    ['6 fields, newest first', READS, 'have the shape of the contract'],
    [
      '6 several rows of one request, refunds',
      'lib/services/',
      'a request that paid for several things has a row for each, under one request',
    ],
    [
      '7 charged after serving; `X-Balance-Remaining`',
      CHAT,
      'a wallet pays for its answer and is told what it has left',
    ],
    ['7 admission minimum', CHAT, 'below the admission minimum a wallet hears how to top up'],
    ['7 DIEM first', CHAT, 'three staked tokens are three dollars of today, spent before what was paid in'],
    ['7 never below zero', CHAT, 'a charge beyond what is there takes what is left and no more'],
    ['7 five in flight', CHAT, 'five requests of a wallet may be under way'],
    [
      '8 a payment header where none is taken',
      WALLETS,
      'a payment header where none is taken is refused, and nothing is settled',
    ],
    ['a payment on a paid route serves', WALLETS, 'a plain client pays on the inference route and is served in one go'],
  ],
  'crypto-rpc.md': [
    ['the 21 networks', RPC, 'is open to everybody, sorted, and has exactly the twenty-one'],
    ['unknown networks, with and without credentials', RPC, 'is refused, with or without credentials'],
    ['no node → 500, free', RPC, 'that no node answers for, or that has none, is a 500 and free'],
    ['methods and tiers', 'lib/contract/', 'exactly the methods of the contract are offered, each once, at its tier'],
    ['refused methods, each with its hint', RPC, 'is refused with what to do'],
    ['a batch with a bad method lists them all', RPC, 'in a batch refuse all of it and are named, every one'],
    ['price of a call, headers', RPC, 'what a call costs'],
    [
      '5 credits for an RPC error, HTTP 200',
      RPC,
      'an item that failed at the node is 5, and the HTTP status stays 200',
    ],
    [
      'ids that repeat or are missing',
      RPC,
      'of a batch, ids may repeat or be missing; a success that belongs to no id is 5',
    ],
    ['upstream statuses', RPC, 'and is shown as'],
    ['refused here is free', RPC, 'what is refused here is free'],
    ['the body of the node, untouched', RPC, 'of the reply pass through untouched'],
    ['1 to 100 calls, empty, no method', RPC, 'is a 400 that says so, and no node hears of it'],
    ['replay: headers, no call, no charge', RPC, 'brings the first reply again: no call, no charge, the same headers'],
    ['key reuse → 400', RPC, 'belongs to one request of one account'],
    ['keys: 255 characters', RPC, 'may have 255 letters, digits, - and _, and nothing else'],
    ['while it runs → 409', 'lib/endpoints/rpc/', 'a call whose first request still runs is told to wait'],
    ['24 h', 'lib/endpoints/rpc/', 'after a day a key is free, for another request too, before any sweep'],
    ['429 and 5xx are not kept', RPC, 'does not keep what may pass: the next try is a new one'],
    ['100 a minute, its headers', RPC, 'a hundred requests a minute; the next is told when to come back'],
    [
      '10 million credits a day',
      'lib/endpoints/rpc/',
      'the refusal names the cap, what is used, and the moment at which there is room',
    ],
    ['one at a time', RPC, 'one request at a time: the second waits half a second, then is sent back'],
    ['a wallet pays', RPC, 'pays from its credit and sees what remains'],
    ['broadcasts are logged by hash', RPC, 'a broadcast is logged by its hash, never by its payload'],
    [
      'no addresses of nodes in errors',
      'e2e/servers/rpc-hostile',
      'nothing of this is in the log with the node’s address',
    ],
  ],
}
