import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Calls } from '@/bench/children'

export const MODEL = 'mock'
// Far above what a run can reach: every request is counted, none is refused.
const ABUNDANT = 1_000_000_000

const NOT_THE_OPERATORS = {
  DATABASE_URL: '',
  REDIS_URL: '',
  SERVICE_ORIGIN: '',
  SIGN_IN_DOMAINS: '',
  X402_PAY_TO_EVM: '',
  X402_PAY_TO_SOLANA: '',
  X402_FACILITATOR_URL: '',
  WALLET_RPC_URL_EVM: '',
  WALLET_RPC_URL_SOLANA: '',
  STAKING_TOKEN: '',
  STAKING_CONTRACT: '',
  RPC_CREDIT_USD: '',
  TRUST_PROXY: '0',
  WORKERS: '1',
}

/**
 * The variables of a product under test, and the files they name: one model behind the mock upstream; key, balance, limits
 * and accounting all on, only the limits out of reach. JSON is YAML too.
 */
export async function writeSettings(folder: string, mockPort: number): Promise<Record<string, string>> {
  await mkdir(folder, { recursive: true })
  const models = {
    engines: { mock: { kind: 'openai', baseUrls: [`http://127.0.0.1:${mockPort}/v1`], maxInFlight: 1_024 } },
    models: [
      {
        id: MODEL,
        name: 'Mock',
        type: 'text',
        engine: 'mock',
        upstreamModel: 'mock',
        contextTokens: 131_072,
        maxCompletionTokens: 4_096,
        pricing: { input: { usd: 0.4 }, output: { usd: 1.2 } },
        tier: 'XS',
        traits: ['default'],
      },
    ],
  }
  const tier = { requestsPerMinute: ABUNDANT, tokensPerMinute: ABUNDANT }
  const limits = {
    tiers: { XS: tier, S: tier, M: tier, L: tier },
    routes: { default: ABUNDANT, 'crypto-rpc': ABUNDANT, 'top-up': ABUNDANT, 'x402-balance': ABUNDANT },
    // Without a limit: one at a time is what the contract has.
    cryptoRpc: { concurrencyPerUser: 0, creditsPerDay: 0 },
    concurrency: { perKey: ABUNDANT, perWallet: ABUNDANT, perIp: ABUNDANT },
  }
  const files = { MODELS_FILE: path.join(folder, 'models.json'), RATE_LIMITS_FILE: path.join(folder, 'limits.json') }
  await writeFile(files.MODELS_FILE, JSON.stringify(models))
  await writeFile(files.RATE_LIMITS_FILE, JSON.stringify(limits))
  return { ...NOT_THE_OPERATORS, ...files, EMBEDDED_MODELS: 'off', LOCAL_ENGINES: 'off' }
}

export type Plan = {
  tokens: number
  /** What stands between two tokens; 0: they come as fast as they can be written. */
  paceMs: number
  /** Each event is written in a turn of the event loop of its own, as tokens are that were made one by one. */
  hasOwnWrites: boolean
  firstTokenMs: number
  tokensPerEvent: number
  /** What a stream says in place of the usual words: four characters a token, each `paceMs` after the one before. */
  text?: string
}

type MockStats = {
  requests: number
  /** Streams that were not at their end when their connection closed. */
  left: number
  running: number
}

export type MockCalls = Calls & {
  listen: () => Promise<number>
  plan: (plan: Plan) => void
  stats: () => MockStats
}

export const TOKEN = ' tide'

export const answerText = (plan: Pick<Plan, 'tokens'>): string => TOKEN.repeat(plan.tokens)
