import 'server-only'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { type Price, perUnit, type Usd, usd } from '@/lib/contract/money'
import { DEFAULT_RPC_CREDIT_PRICE } from '@/lib/contract/prices'
import { nodesVariable, RPC_SLUGS, type RpcSlug } from '@/lib/contract/rpc-networks'
import { DEFAULT_SERVICE_NAME } from '@/lib/contract/service-name'
import { type CdpKey, parseCdpKey } from '@/lib/kernel/cdp-key'

const flag = (fallback: 'on' | 'off') => z.enum(['on', 'off']).default(fallback)
const dollars = z.string().transform((text, context): Usd => {
  try {
    const amount = usd(text)
    if (amount >= 0n) return amount
  } catch {
    // Said below, in the variable's own words.
  }
  context.addIssue({ code: 'custom', message: 'must be an amount of dollars such as 1 or 0.50' })
  return z.NEVER
})

const list = z.string().transform((text) =>
  text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean),
)
const evmAddress = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be an EVM address: 0x and 40 hex digits')
const solanaAddress = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/, 'must be a Solana address in base58')

const BURN_ADDRESSES = new Set([
  '0x0000000000000000000000000000000000000000',
  '0x000000000000000000000000000000000000dead',
  '0xdeaddeaddeaddeaddeaddeaddeaddeaddeaddead',
  '11111111111111111111111111111111',
  '1nc1nerator11111111111111111111111111111111',
])
const ownable = (address: string) => !BURN_ADDRESSES.has(address) && !BURN_ADDRESSES.has(address.toLowerCase())
const NOT_OWNABLE = 'is an address without a private key: payments to it would be lost'
const httpUrl = z.url({ protocol: /^https?$/ })
const nodeUrls = list.pipe(z.array(httpUrl).min(1).max(8))

const httpOrigin = httpUrl.transform((text, context) => {
  const url = new URL(text)
  if (url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password) return url.origin
  context.addIssue({ code: 'custom', message: `${text} must be an origin such as http://files.internal:8080` })
  return z.NEVER
})

/**
 * Host names that forbid automated access, with their subdomains. The operator's list replaces the default; `none` is
 * an empty list.
 */
const siteList = list.transform((sites, context): string[] => {
  if (sites.length === 1 && sites[0] === 'none') return []
  return sites.map((site) => {
    const host = /[/:@?#]/.test(site) ? undefined : URL.parse(`http://${site}`)?.hostname
    if (host) return host.replace(/\.$/, '')
    context.addIssue({ code: 'custom', message: `${site} must be a host name such as example.org` })
    return z.NEVER
  })
})
const USUAL_BLOCKLIST = ['x.com', 'twitter.com', 'reddit.com', 'facebook.com', 'instagram.com', 'linkedin.com']

const unitPrice = z.string().transform((text, context): Price => {
  try {
    if (text.trim() !== '') return perUnit(Number(text))
  } catch {
    // Said below, in the variable's own words.
  }
  context.addIssue({ code: 'custom', message: 'must be dollars for one credit, such as 0.0000007' })
  return z.NEVER
})

const HUGGING_FACE = 'https://huggingface.co'

const RPC_NODES = Object.fromEntries(RPC_SLUGS.map((slug) => [nodesVariable(slug), nodeUrls.optional()]))

const Environment = z.object({
  NODE_ENV: z.enum(['development', 'production', 'test']).default('production'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  HOST: z.string().default('127.0.0.1'),
  SERVICE_ORIGIN: z.url({ protocol: /^https?$/ }).optional(),
  SERVICE_NAME: z.string().min(1).max(40).default(DEFAULT_SERVICE_NAME),
  OPERATOR_NAME: z.string().min(1).max(80).optional(),
  OPERATOR_URL: httpUrl.optional(),
  SOURCE_URL: httpUrl.optional(),
  DATA_DIR: z.string().default('./data'),
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  DATABASE_POOL_SIZE: z.coerce.number().int().min(1).max(1_000).optional(),
  EMBEDDED_MODELS: z
    .string()
    .regex(
      /^(standard|lean|off|hf:[\w.-]{1,96}\/[\w.-]{1,96}(:[\w.-]{1,40})?)$/,
      'must be standard, lean, off or hf:OWNER/REPO[:QUANTIZATION]',
    )
    .optional(),
  EMBEDDED_VISION: z.enum(['on', 'off']).optional(),
  EMBEDDED_GPU: z.enum(['auto', 'off', 'metal', 'cuda', 'vulkan']).default('auto'),
  EMBEDDED_MEMORY_MB: z.coerce.number().int().min(100).max(100_000_000).optional(),
  MODELS_FILE: z.string().optional(),
  MODELS_CACHE_DIR: z.string().optional(),
  HF_ENDPOINT: httpUrl.default(HUGGING_FACE),
  HF_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'contains spaces or invalid characters')
    .optional(),
  SANDBOX: z.enum(['auto', 'on', 'off']).default('auto'),
  SANDBOX_WALLETS: z.enum(['test', 'any']).default('test'),
  SIGN_IN_DOMAINS: list.optional(),
  X402_PAY_TO_EVM: evmAddress.refine(ownable, NOT_OWNABLE).optional(),
  X402_PAY_TO_SOLANA: solanaAddress.refine(ownable, NOT_OWNABLE).optional(),
  X402_FACILITATOR_URL: httpUrl.optional(),
  X402_FACILITATOR_TOKEN: z.string().optional(),
  CDP_API_KEY_ID: z.string().optional(),
  CDP_API_KEY_ID_FILE: z.string().optional(),
  CDP_API_KEY_SECRET: z.string().optional(),
  CDP_API_KEY_SECRET_FILE: z.string().optional(),
  PAY_ON_ROUTE: flag('on'),
  WALLET_RPC_URL_EVM: nodeUrls.optional(),
  WALLET_RPC_URL_SOLANA: nodeUrls.optional(),
  PAYMENTS_ON_EMBEDDED_DATABASE: flag('off'),
  CHARACTERS_FILE: z.string().optional(),
  SEARCH_PROVIDER: z.enum(['duckduckgo', 'searxng', 'brave', 'tavily']).default('duckduckgo'),
  SEARCH_URL: httpUrl.optional(),
  SEARCH_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'contains spaces or invalid characters')
    .optional(),
  SEARCH_GOOGLE_URL: httpUrl.optional(),
  SCRAPE_BLOCKLIST: siteList.pipe(z.array(z.string()).max(10_000)).default(USUAL_BLOCKLIST),
  EGRESS_ALLOW_ORIGINS: list.pipe(z.array(httpOrigin).max(64)).optional(),
  STAKING_TOKEN: evmAddress.optional(),
  STAKING_CONTRACT: evmAddress.optional(),
  WELCOME_CREDIT_USD: dollars.optional(),
  BILLING_USAGE_SUNSET: z.iso.datetime().optional(),
  RPC_CREDIT_USD: unitPrice.default(DEFAULT_RPC_CREDIT_PRICE),
  ...RPC_NODES,
  CONNECTIONS_PER_ADDRESS: z.coerce.number().int().min(0).max(10_000).default(100),
  TRUST_PROXY: z.coerce.number().int().min(0).max(10).default(0),
  REDIS_URL: z.url({ protocol: /^rediss?$/ }).optional(),
  JOB_MEDIA_MB: z.coerce.number().int().min(1).max(100_000_000).default(4_096),
  DRAIN_GRACE_MS: z.coerce.number().int().min(0).max(600_000).default(0),
  LEDGER_WAIT: flag('off'),
  WORKERS: z.coerce.number().int().min(1).max(64).default(1),
  RATE_LIMITS_FILE: z.string().optional(),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  LOG_FORMAT: z.enum(['pretty', 'json']).optional(),
  METRICS_TOKEN: z.string().min(16, 'must be at least 16 characters').optional(),
  LOCAL_ENGINES: flag('on'),
  TIMESTAMP_HEADER: flag('on'),
})

export type Config = ReturnType<typeof parseConfig>

export class ConfigError extends Error {
  override name = 'ConfigError'
}

/**
 * Reads and checks all variables.
 *
 * @throws ConfigError naming every wrong variable.
 */
export function parseConfig(environment: Record<string, string | undefined>, root = process.cwd()) {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = Environment.safeParse(given)
  if (!parsed.success) {
    throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('\n'))
  }
  const env = parsed.data
  assertKnownNetworks(Object.keys(given))
  const isSandbox = env.SANDBOX === 'on' || (env.SANDBOX === 'auto' && !env.X402_PAY_TO_EVM && !env.X402_PAY_TO_SOLANA)
  if (isSandbox) assertPrivateSandbox(env)
  if (env.WORKERS > 1 && !env.DATABASE_URL) {
    throw new ConfigError('WORKERS: more than one process needs DATABASE_URL; the embedded database serves one.')
  }
  if (env.WORKERS > 1 && process.platform === 'win32') {
    throw new ConfigError('WORKERS: Windows cannot stop several processes without losing their requests. Use 1.')
  }
  const facilitator = facilitatorOf(env, root)
  assertPayments(env, isSandbox, facilitator)
  assertSearch(env)
  const dataDir = path.resolve(root, env.DATA_DIR)
  return Object.freeze({
    root,
    environment: env.NODE_ENV,
    port: env.PORT,
    host: env.HOST,
    origin: new URL(env.SERVICE_ORIGIN ?? `http://localhost:${env.PORT}`).origin,
    serviceName: env.SERVICE_NAME,
    operator: { name: env.OPERATOR_NAME, url: env.OPERATOR_URL },
    sourceUrl: env.SOURCE_URL,
    /** Build number, `YYYYMMDD.HHMMSS`: `x-service-version`, and the version of the OpenAPI document. */
    version: buildVersion(root),
    dataDir,
    databaseUrl: env.DATABASE_URL,
    databasePoolSize: env.DATABASE_POOL_SIZE,
    embeddedModels: embeddedProfileOf(env.EMBEDDED_MODELS),
    /** A model of the hub that is downloaded at the first start and is then the default for chat. */
    defaultModelSource: env.EMBEDDED_MODELS?.startsWith('hf:') ? env.EMBEDDED_MODELS : undefined,
    /** The operator says nothing: a first start may download a better default than the embedded one. */
    choosesDefaultModel: env.EMBEDDED_MODELS === undefined,
    embeddedGpu: env.EMBEDDED_GPU,
    // The binary of the runtime that sees uses no vector instructions on x64 (docs/adr/0037).
    embeddedVision: (env.EMBEDDED_VISION ?? (process.arch === 'x64' ? 'off' : 'on')) === 'on',
    /** Memory of all embedded chat models together. */
    embeddedMemoryMegabytes: env.EMBEDDED_MEMORY_MB,
    modelHub: {
      endpoint: env.HF_ENDPOINT.replace(/\/+$/, ''),
      token: env.HF_TOKEN,
      folder: path.resolve(root, env.MODELS_CACHE_DIR ?? path.join(dataDir, 'models', 'hub')),
    },
    modelsFile: env.MODELS_FILE === undefined ? undefined : path.resolve(root, env.MODELS_FILE),
    isSandbox,
    sandboxWallets: env.SANDBOX_WALLETS,
    signInDomains: env.SIGN_IN_DOMAINS ?? [],
    payTo: { evm: env.X402_PAY_TO_EVM, solana: env.X402_PAY_TO_SOLANA },
    facilitator,
    paysOnRoute: env.PAY_ON_ROUTE === 'on',
    walletRpcUrls: { evm: env.WALLET_RPC_URL_EVM ?? [], solana: env.WALLET_RPC_URL_SOLANA ?? [] },
    staking:
      env.STAKING_CONTRACT && env.STAKING_TOKEN
        ? { token: env.STAKING_TOKEN, contract: env.STAKING_CONTRACT }
        : undefined,
    billingUsageSunset: env.BILLING_USAGE_SUNSET === undefined ? undefined : new Date(env.BILLING_USAGE_SUNSET),
    rpcUrls: rpcUrlsOf(env),
    rpcCreditPrice: env.RPC_CREDIT_USD,
    welcomeCredit: env.WELCOME_CREDIT_USD ?? usd(isSandbox ? '1' : '0'),
    charactersFile: env.CHARACTERS_FILE === undefined ? undefined : path.resolve(root, env.CHARACTERS_FILE),
    search: {
      provider: env.SEARCH_PROVIDER,
      url: env.SEARCH_URL,
      apiKey: env.SEARCH_API_KEY,
      googleUrl: env.SEARCH_GOOGLE_URL,
    },
    scrapeBlocklist: new Set(env.SCRAPE_BLOCKLIST),
    egressAllowOrigins: new Set(env.EGRESS_ALLOW_ORIGINS ?? []),
    trustedProxies: env.TRUST_PROXY,
    connectionsPerAddress: env.CONNECTIONS_PER_ADDRESS,
    redisUrl: env.REDIS_URL,
    jobMediaBytes: env.JOB_MEDIA_MB * 1024 * 1024,
    drainGraceMs: env.DRAIN_GRACE_MS,
    workers: env.WORKERS,
    ledgerWaits: env.LEDGER_WAIT === 'on',
    rateLimitsFile: env.RATE_LIMITS_FILE === undefined ? undefined : path.resolve(root, env.RATE_LIMITS_FILE),
    logLevel: env.LOG_LEVEL,
    logFormat: env.LOG_FORMAT ?? (process.stdout.isTTY ? ('pretty' as const) : ('json' as const)),
    metricsToken: env.METRICS_TOKEN,
    findsLocalEngines: env.LOCAL_ENGINES === 'on',
    sendsTimestamp: env.TIMESTAMP_HEADER === 'on',
  })
}

function embeddedProfileOf(value: string | undefined): 'standard' | 'lean' | 'off' {
  return value === 'lean' || value === 'off' ? value : 'standard'
}

/** Refuses test money on a server that others can reach, unless its operator allows it. */
function assertPrivateSandbox({ SANDBOX, HOST, SERVICE_ORIGIN, TRUST_PROXY }: z.infer<typeof Environment>): void {
  if (SANDBOX === 'on') {
    if (isLoopback(HOST) || SERVICE_ORIGIN !== undefined) return
    throw new ConfigError(
      `HOST: ${HOST} can be reached by other machines, where the web app does not work without SERVICE_ORIGIN. Set SERVICE_ORIGIN to the public URL, or HOST=127.0.0.1.`,
    )
  }
  const reason = publicReason({ HOST, SERVICE_ORIGIN, TRUST_PROXY })
  if (reason === undefined) return
  throw new ConfigError(
    `SANDBOX: ${reason}, and the sandbox gives every visitor test money. For production set a payment receiver (X402_PAY_TO_EVM or X402_PAY_TO_SOLANA) or SANDBOX=off. For a public sandbox set SANDBOX=on.`,
  )
}

function publicReason(env: { HOST: string; SERVICE_ORIGIN?: string; TRUST_PROXY: number }): string | undefined {
  if (!isLoopback(env.HOST)) return `HOST=${env.HOST} can be reached by other machines`
  if (env.SERVICE_ORIGIN !== undefined && !isLoopback(new URL(env.SERVICE_ORIGIN).hostname)) {
    return `SERVICE_ORIGIN=${env.SERVICE_ORIGIN} is a public address`
  }
  return env.TRUST_PROXY > 0 ? `TRUST_PROXY=${env.TRUST_PROXY} means that a proxy is in front` : undefined
}

export type FacilitatorAddress = { url: string; token?: string; cdpKey?: CdpKey }

const CDP_FACILITATOR_URL = 'https://api.cdp.coinbase.com/platform/v2/x402'

function facilitatorOf(env: z.infer<typeof Environment>, root: string): FacilitatorAddress | undefined {
  const id = valueOrFile(env, 'CDP_API_KEY_ID', root)
  const secret = valueOrFile(env, 'CDP_API_KEY_SECRET', root)
  const { X402_FACILITATOR_URL: url, X402_FACILITATOR_TOKEN: token } = env
  if (id === undefined && secret === undefined) return url === undefined ? undefined : { url, token }
  if (id === undefined || secret === undefined) {
    const missing = id === undefined ? 'CDP_API_KEY_ID' : 'CDP_API_KEY_SECRET'
    throw new ConfigError(`${missing}: CDP_API_KEY_ID and CDP_API_KEY_SECRET belong together; set both or neither.`)
  }
  if (token !== undefined) {
    throw new ConfigError(
      'X402_FACILITATOR_TOKEN: requests are signed with CDP_API_KEY_SECRET. Remove the token or the key.',
    )
  }
  try {
    return { url: url ?? CDP_FACILITATOR_URL, cdpKey: parseCdpKey(id, secret) }
  } catch {
    throw new ConfigError(
      'CDP_API_KEY_SECRET: must be the secret of an API key, as the portal shows it: Ed25519 (base64, 64 bytes) or ECDSA (PEM, P-256).',
    )
  }
}

function valueOrFile(
  env: z.infer<typeof Environment>,
  name: 'CDP_API_KEY_ID' | 'CDP_API_KEY_SECRET',
  root: string,
): string | undefined {
  const file = env[`${name}_FILE`]
  if (file === undefined) return env[name]
  if (env[name] !== undefined) throw new ConfigError(`${name}: set it or ${name}_FILE, not both.`)
  let text: string
  try {
    text = readFileSync(path.resolve(root, file), 'utf8').trim()
  } catch {
    throw new ConfigError(`${name}_FILE: ${file} cannot be read.`)
  }
  if (text === '') throw new ConfigError(`${name}_FILE: ${file} is empty.`)
  return text
}

function assertPayments(
  env: z.infer<typeof Environment>,
  isSandbox: boolean,
  facilitator: FacilitatorAddress | undefined,
): void {
  const receivers = [env.X402_PAY_TO_EVM, env.X402_PAY_TO_SOLANA].filter((receiver) => receiver !== undefined)
  if (isSandbox && receivers.length > 0) {
    throw new ConfigError(
      'SANDBOX: a signature for the local chain would be valid on the real one, so the sandbox uses only its own receivers. Remove X402_PAY_TO_EVM and X402_PAY_TO_SOLANA, or set SANDBOX=off.',
    )
  }
  if (Boolean(env.STAKING_TOKEN) !== Boolean(env.STAKING_CONTRACT)) {
    throw new ConfigError('STAKING_CONTRACT: STAKING_TOKEN and STAKING_CONTRACT belong together; set both or neither.')
  }
  if (env.STAKING_CONTRACT && !isSandbox && !env.WALLET_RPC_URL_EVM) {
    throw new ConfigError('WALLET_RPC_URL_EVM: staked balances are read on chain; set a node.')
  }
  if (receivers.length === 0) return
  if (!facilitator) {
    throw new ConfigError(
      'X402_FACILITATOR_URL: payments need a facilitator. Set its URL, or CDP_API_KEY_ID and CDP_API_KEY_SECRET for Coinbase.',
    )
  }
  if (env.X402_PAY_TO_EVM && !env.WALLET_RPC_URL_EVM) {
    throw new ConfigError('WALLET_RPC_URL_EVM: payments to X402_PAY_TO_EVM are verified on chain; set a node.')
  }
  if (env.X402_PAY_TO_SOLANA && !env.WALLET_RPC_URL_SOLANA) {
    throw new ConfigError('WALLET_RPC_URL_SOLANA: payments to X402_PAY_TO_SOLANA are verified on chain; set a node.')
  }
  if (!env.DATABASE_URL && env.PAYMENTS_ON_EMBEDDED_DATABASE === 'off') {
    throw new ConfigError(
      'DATABASE_URL: real payments need a database that survives a power failure; the embedded one does not. Set DATABASE_URL, or PAYMENTS_ON_EMBEDDED_DATABASE=on if you accept that.',
    )
  }
}

const MAX_SLIPS = 2
const MIN_NAME_CHARACTERS = 7

export function configWarnings(environment: Record<string, string | undefined>, settings: Config): string[] {
  const warnings: string[] = []
  const { isSandbox, payTo, rpcCreditPrice } = settings
  if (!isSandbox && !payTo.evm && !payTo.solana) {
    warnings.push(
      'Payments are disabled: SANDBOX=off and no payment receiver. Only accounts that you credit can spend.',
    )
  }
  if (rpcCreditPrice === 0n) warnings.push('JSON-RPC calls are free: RPC_CREDIT_USD=0.')
  const known = Object.keys(Environment.shape)
  for (const name of Object.keys(environment)) {
    if (!environment[name] || name in Environment.shape || name.length < MIN_NAME_CHARACTERS) continue
    const meant = known.find((one) => one.length >= MIN_NAME_CHARACTERS && slips(name, one) <= MAX_SLIPS)
    if (meant) warnings.push(`${name} is unknown. Did you mean ${meant}?`)
  }
  return warnings
}

function slips(from: string, to: string): number {
  if (Math.abs(from.length - to.length) > MAX_SLIPS) return MAX_SLIPS + 1
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (const [at, character] of [...from].entries()) {
    const next = [at + 1]
    for (let column = 1; column <= to.length; column++) {
      const replaced = row[column - 1]! + (character === to[column - 1] ? 0 : 1)
      next.push(Math.min(replaced, row[column]! + 1, next[column - 1]! + 1))
    }
    row = next
  }
  return row[to.length]!
}

function assertKnownNetworks(variables: string[]): void {
  const unknown = variables.find((name) => name.startsWith('RPC_URLS_') && !Object.hasOwn(RPC_NODES, name))
  if (unknown === undefined) return
  throw new ConfigError(`${unknown}: unknown network. Networks: ${RPC_SLUGS.join(', ')}.`)
}

function rpcUrlsOf(nodes: Readonly<Record<string, unknown>>): ReadonlyMap<RpcSlug, string[]> {
  return new Map(
    RPC_SLUGS.flatMap((slug) => {
      const urls = nodes[nodesVariable(slug)]
      return Array.isArray(urls) ? [[slug, urls as string[]] as const] : []
    }),
  )
}

function assertSearch(env: z.infer<typeof Environment>): void {
  const { SEARCH_PROVIDER: provider, SEARCH_URL: url, SEARCH_API_KEY: key } = env
  if (provider === 'searxng' && !url) throw new ConfigError('SEARCH_URL: searxng needs the URL of your server.')
  if ((provider === 'brave' || provider === 'tavily') && !key) {
    throw new ConfigError(`SEARCH_API_KEY: ${provider} needs a key.`)
  }
}

const holder = globalThis as typeof globalThis & { __serviceConfig?: Config }

export function config(): Config {
  holder.__serviceConfig ??= parseConfig(process.env)
  return holder.__serviceConfig
}

export function secretFromEnvironment(name: string): string | undefined {
  return process.env[name] || undefined
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

function buildVersion(root: string): string {
  try {
    return readFileSync(path.join(root, '.next', 'service-version'), 'utf8').trim()
  } catch {
    return '20260718.002811'
  }
}
