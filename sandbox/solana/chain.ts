import { createHash, randomBytes } from 'node:crypto'
import { type Address, getBase58Decoder, isAddress } from '@solana/kit'
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { z } from 'zod'
import { INVALID_PARAMS, METHOD_NOT_FOUND, RpcError, type RpcRequest } from '../json-rpc'
import type { TransactionRecord } from './history.ts'
import { feeOf, parseTransaction } from './message'
import { renderAccount, renderTransaction } from './render'
import { openState, type SolanaState } from './state'
import { addLamports, amountOf, ensureLamports, fundUsdc, mintOf, putMint, tokenOf, USDC } from './tokens'
import { innerInstructions, send, simulate } from './transactions'

const FUND = 'sandbox_fund'
const GAS_LAMPORTS = 10_000_000_000n

export type SolanaChain = {
  answer: (request: RpcRequest) => unknown
  fund: (address: Address, usdcUnits: bigint) => Promise<void>
  skipSlots: (count: number) => void
  stop: () => void
}

export async function startSolana(options: {
  folder?: string
  payer: Address
  receiver: Address
}): Promise<SolanaChain> {
  const state = openState(options.folder)
  if (!mintOf(state.account(USDC))) putMint(state, 0n)
  ensureLamports(state, options.payer, GAS_LAMPORTS)
  // A transfer to an owner without one fails.
  await fundUsdc(state, options.receiver, 0n)

  const fund = async (address: Address, usdcUnits: bigint) => {
    ensureLamports(state, address, GAS_LAMPORTS)
    await fundUsdc(state, address, usdcUnits)
  }
  const methods = solanaMethods(state)
  return {
    answer: (request) => (request.method === FUND ? fund(...fundParams(request.params)) : methods(request)),
    fund,
    skipSlots: state.skipSlots,
    stop: state.close,
  }
}

function fundParams([address, units]: unknown[]): [Address, bigint] {
  if (typeof address === 'string' && isAddress(address) && /^\d{1,18}$/.test(String(units))) {
    return [address, BigInt(String(units))]
  }
  throw new RpcError(INVALID_PARAMS, 'Invalid params: an address, and base units of USDC as text')
}

/** Of the main network, so that its CAIP-2 id is that of the real chain. */
const GENESIS_HASH = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'
const MAX_ACCOUNTS = 100
const MAX_SIGNATURES = 256
const MAX_HISTORY = 1_000
const MAX_AIRDROP_LAMPORTS = 1_000_000_000_000
const SLOTS_IN_EPOCH = 432_000

const Account = z.custom<Address>((value) => typeof value === 'string' && isAddress(value), 'is not an address')
const Signature = z.string().min(1).max(88)
const AccountOptions = z
  .object({
    encoding: z.string().optional(),
    dataSlice: z.object({ offset: z.int().min(0), length: z.int().min(0) }).optional(),
  })
  .nullish()
  .transform((options) => options ?? {})
const Options = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((options) => options ?? {})

function solanaMethods(state: SolanaState) {
  const context = () => ({ apiVersion: '3.0.0', slot: state.clock.slot() })
  const inContext = (value: unknown) => ({ context: context(), value })
  const accountInfo = (at: Address, options: z.infer<typeof AccountOptions>) => {
    const account = state.account(at)
    return account ? renderAccount(state, account, options) : null
  }

  const methods: Record<string, (params: unknown[]) => unknown> = {
    getHealth: () => 'ok',
    getVersion: () => ({ 'solana-core': '3.0.0', 'feature-set': 0 }),
    getGenesisHash: () => GENESIS_HASH,
    getSlot: () => state.clock.slot(),
    getBlockHeight: () => state.clock.slot(),
    getTransactionCount: () => state.history.count(),
    getBlockTime: () => Math.floor(Date.now() / 1_000),
    getEpochInfo: () => {
      const slot = state.clock.slot()
      const epoch = Math.floor(slot / SLOTS_IN_EPOCH)
      const inEpoch = { epoch, slotIndex: slot % SLOTS_IN_EPOCH, slotsInEpoch: SLOTS_IN_EPOCH }
      return { absoluteSlot: slot, blockHeight: slot, ...inEpoch, transactionCount: state.history.count() }
    },
    getRecentPrioritizationFees: () => [],

    getLatestBlockhash: () => inContext(state.clock.latest()),
    isBlockhashValid: (params) => inContext(state.clock.isRecent(read(z.tuple([Signature]), params)[0])),
    getFeeForMessage: (params) => inContext(feeForMessage(read(z.tuple([z.string()]), params)[0])),
    getMinimumBalanceForRentExemption: (params) => {
      const [bytes] = read(z.tuple([z.int().min(0).max(10_485_760)]), params)
      return Number(state.svm.minimumBalanceForRentExemption(BigInt(bytes)))
    },

    getBalance: (params) => inContext(Number(state.account(read(z.tuple([Account]), params)[0])?.lamports ?? 0n)),
    getAccountInfo: (params) => {
      const [at, options] = read(z.tuple([Account, AccountOptions]), params)
      return inContext(accountInfo(at, options))
    },
    getMultipleAccounts: (params) => {
      const [all, options] = read(z.tuple([z.array(Account).max(MAX_ACCOUNTS), AccountOptions]), params)
      return inContext(all.map((at) => accountInfo(at, options)))
    },
    getTokenSupply: (params) => {
      const [at] = read(z.tuple([Account]), params)
      const mint = mintOf(state.account(at))
      if (!mint) throw new RpcError(INVALID_PARAMS, 'Invalid param: not a Token mint')
      return inContext(amountOf(state, at, mint.supply))
    },
    getTokenAccountBalance: (params) => {
      const token = tokenOf(state.account(read(z.tuple([Account]), params)[0]))
      if (!token) throw new RpcError(INVALID_PARAMS, 'Invalid param: could not find account')
      return inContext(amountOf(state, token.mint, token.amount))
    },
    getTokenAccountsByOwner: (params) => {
      const filter = z.object({ mint: Account.optional(), programId: Account.optional() })
      const [owner, { mint }, options] = read(z.tuple([Account, filter, AccountOptions]), params)
      const found = state.svm.getProgramAccounts(TOKEN_PROGRAM_ADDRESS).filter((account) => {
        const token = account.lamports > 0n ? tokenOf(account) : undefined
        return token?.owner === owner && (mint === undefined || token.mint === mint)
      })
      return inContext(
        found.map((account) => ({ pubkey: account.address, account: renderAccount(state, account, options) })),
      )
    },

    simulateTransaction: (params) => {
      const [wire, options] = read(z.tuple([z.string(), Options]), params)
      return inContext(simulation(wire, options))
    },
    sendTransaction: (params) => {
      const [wire, options] = read(z.tuple([z.string(), Options]), params)
      return send(state, parseTransaction(wire, options.encoding), { skipsPreflight: options.skipPreflight === true })
    },
    getSignatureStatuses: (params) => {
      const [signatures] = read(z.tuple([z.array(Signature).max(MAX_SIGNATURES)]), params)
      return inContext(signatures.map((signature) => statusOf(state.history.get(signature))))
    },
    getSignaturesForAddress: (params) => {
      const shape = z.object({
        limit: z.int().min(1).max(MAX_HISTORY).default(MAX_HISTORY),
        before: Signature.nullish(),
        until: Signature.nullish(),
      })
      const options = shape.nullish().transform((given) => given ?? shape.parse({}))
      const [at, { limit, before, until }] = read(z.tuple([Account, options]), params)
      return state.history.ofAccount(at, limit, before ?? undefined, until ?? undefined).map(summaryOf)
    },
    getTransaction: (params) => {
      const [signature, given] = read(z.tuple([Signature, z.union([z.string(), Options])]), params)
      const options = typeof given === 'string' ? { encoding: given } : given
      const record = state.history.get(signature)
      return record ? renderTransaction(record, options.encoding, options.maxSupportedTransactionVersion) : null
    },

    requestAirdrop: (params) => {
      const [at, amount] = read(z.tuple([Account, z.int().min(1).max(MAX_AIRDROP_LAMPORTS)]), params)
      addLamports(state, at, BigInt(amount))
      // A faucet's gift is no transaction here, but its caller waits for one.
      return getBase58Decoder().decode(createHash('sha512').update(randomBytes(32)).digest())
    },
  }

  function simulation(wire: string, options: Record<string, unknown>) {
    const replacesBlockhash = options.replaceRecentBlockhash === true
    const parsed = parseTransaction(wire, options.encoding)
    const result = simulate(state, parsed, { verifies: options.sigVerify === true, replacesBlockhash })
    const wanted = z
      .object({ addresses: z.array(Account).max(MAX_ACCOUNTS) })
      .nullish()
      .catch(null)
      .parse(options.accounts)
    const after = new Map(result.postAccounts.map((account) => [account.address, account]))
    return {
      err: result.err,
      logs: result.metadata?.logs() ?? [],
      unitsConsumed: Number(result.metadata?.computeUnitsConsumed() ?? 0n),
      returnData: null,
      accounts:
        wanted?.addresses.map((at) => {
          const account = after.get(at) ?? state.account(at)
          return account ? renderAccount(state, account, { encoding: 'base64' }) : null
        }) ?? null,
      ...(options.innerInstructions === true && {
        innerInstructions: result.metadata ? innerInstructions(result.metadata) : null,
      }),
      ...(replacesBlockhash && { replacementBlockhash: state.clock.latest() }),
    }
  }

  return ({ method, params }: RpcRequest): unknown => {
    const answer = Object.hasOwn(methods, method) ? methods[method] : undefined
    if (!answer) throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${method}`)
    return answer(params)
  }
}

function read<Shape extends z.ZodTuple>(shape: Shape, params: unknown[]): z.output<Shape> {
  const count = shape.def.items.length
  const filled = Array.from({ length: count }, (_, index) => params[index])
  const parsed = shape.safeParse(filled)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new RpcError(INVALID_PARAMS, `Invalid params: ${issue?.path.join('.')}: ${issue?.message}`)
}

function feeForMessage(base64: string): number {
  const message = Buffer.from(base64, 'base64')
  // As many empty signatures as the message wants: its second byte, after the version if it has one.
  const signers = message[(message[0] ?? 0) & 0x80 ? 1 : 0] ?? 0
  const wire = Buffer.concat([Buffer.from([signers]), Buffer.alloc(64 * signers), message])
  return feeOf(parseTransaction(wire.toString('base64'), 'base64'))
}

const statusOf = (record: TransactionRecord | undefined) =>
  record === undefined
    ? null
    : {
        slot: record.slot,
        confirmations: null,
        err: record.meta.err,
        status: record.meta.status,
        confirmationStatus: 'finalized',
      }

const summaryOf = ({ signature, slot, blockTime, memo, meta }: TransactionRecord) => ({
  signature,
  slot,
  blockTime,
  memo,
  err: meta.err,
  confirmationStatus: 'finalized',
})
