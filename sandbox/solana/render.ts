import { type EncodedAccount, getBase58Decoder, unwrapOption } from '@solana/kit'
import { AccountState } from '@solana-program/token'
import { INVALID_PARAMS, RpcError } from '../json-rpc'
import type { TransactionRecord } from './history.ts'
import { type Parsed, parseTransaction } from './message'
import type { SolanaState } from './state'
import { amountOf, mintOf, tokenOf } from './tokens'

const MAX_BASE58_BYTES = 128
const UNSUPPORTED_VERSION = -32015

export type AccountOptions = { encoding?: string; dataSlice?: { offset: number; length: number } }

export function renderAccount(state: SolanaState, account: EncodedAccount, { encoding, dataSlice }: AccountOptions) {
  return {
    data: renderData(state, account, encoding, dataSlice),
    executable: account.executable,
    lamports: Number(account.lamports),
    owner: account.programAddress,
    rentEpoch: 0,
    space: account.data.length,
  }
}

export function renderTransaction(record: TransactionRecord, encoding: unknown, maxVersion: unknown) {
  const parsed = parseTransaction(record.wire, 'base64')
  const { version } = parsed.message
  if (version !== 'legacy' && (typeof maxVersion !== 'number' || maxVersion < version)) {
    const message = `Transaction version (${version}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${version}`
    throw new RpcError(UNSUPPORTED_VERSION, message)
  }
  const { slot, blockTime, meta } = record
  return { slot, blockTime, meta, transaction: renderWire(record, parsed, encoding), version }
}

function renderWire({ wire }: TransactionRecord, parsed: Parsed, encoding: unknown) {
  if (encoding === 'base64') return [wire, 'base64']
  if (encoding === 'base58') return [getBase58Decoder().decode(parsed.bytes), 'base58']
  const { message, accounts, signatures } = parsed
  const isParsed = encoding === 'jsonParsed'
  const instructions = message.instructions.map(({ programAddressIndex, accountIndices, data }) => {
    const indices = accountIndices ?? []
    const shared = { data: getBase58Decoder().decode(Uint8Array.from(data ?? [])), stackHeight: null }
    return isParsed
      ? { ...shared, programId: accounts[programAddressIndex], accounts: indices.map((index) => accounts[index]) }
      : { ...shared, programIdIndex: programAddressIndex, accounts: indices }
  })
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = message.header
  const accountKeys = accounts.map((pubkey, index) => {
    const isSigner = index < numSignerAccounts
    const writableEnd = isSigner
      ? numSignerAccounts - numReadonlySignerAccounts
      : accounts.length - numReadonlyNonSignerAccounts
    return { pubkey, signer: isSigner, writable: index < writableEnd, source: 'transaction' }
  })
  return {
    signatures,
    message: {
      accountKeys: isParsed ? accountKeys : accounts,
      ...(!isParsed && {
        header: {
          numRequiredSignatures: numSignerAccounts,
          numReadonlySignedAccounts: numReadonlySignerAccounts,
          numReadonlyUnsignedAccounts: numReadonlyNonSignerAccounts,
        },
      }),
      recentBlockhash: message.lifetimeToken,
      instructions,
      ...(message.version === 0 && { addressTableLookups: [] }),
    },
  }
}

function renderData(
  state: SolanaState,
  account: EncodedAccount,
  encoding: string | undefined,
  slice: AccountOptions['dataSlice'],
) {
  if (encoding === 'jsonParsed') {
    const parsed = renderParsed(state, account)
    if (parsed) return parsed
  }
  const data = slice ? account.data.slice(slice.offset, slice.offset + slice.length) : account.data
  if (encoding === 'base64' || encoding === 'jsonParsed') return [Buffer.from(data).toString('base64'), 'base64']
  if (encoding !== undefined && encoding !== 'base58') {
    throw new RpcError(INVALID_PARAMS, `Invalid params: the encoding ${encoding} is not supported here; use base64`)
  }
  if (data.length > MAX_BASE58_BYTES) {
    const message = `Encoded binary (base 58) data should be less than ${MAX_BASE58_BYTES} bytes, please use Base64 encoding.`
    throw new RpcError(INVALID_PARAMS, message)
  }
  const text = getBase58Decoder().decode(data)
  // Without a word of the encoding nodes answer in the form of their first years.
  return encoding === undefined ? text : [text, 'base58']
}

function renderParsed(state: SolanaState, account: EncodedAccount) {
  const wrap = (type: string, info: object) => ({
    program: 'spl-token',
    parsed: { type, info },
    space: account.data.length,
  })
  const token = tokenOf(account)
  if (token) {
    return wrap('account', {
      isNative: unwrapOption(token.isNative) !== null,
      mint: token.mint,
      owner: token.owner,
      state: token.state === AccountState.Frozen ? 'frozen' : 'initialized',
      tokenAmount: amountOf(state, token.mint, token.amount),
    })
  }
  const mint = mintOf(account)
  if (!mint) return undefined
  return wrap('mint', {
    decimals: mint.decimals,
    freezeAuthority: unwrapOption(mint.freezeAuthority),
    isInitialized: mint.isInitialized,
    mintAuthority: unwrapOption(mint.mintAuthority),
    supply: mint.supply.toString(),
  })
}
