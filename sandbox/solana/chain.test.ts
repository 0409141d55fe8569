import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase58Decoder,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type KeyPairSigner,
  pipe,
  SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED,
  SOLANA_ERROR__TRANSACTION_ERROR__BLOCKHASH_NOT_FOUND,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit'
import { Connection, PublicKey, SystemProgram, Transaction } from '@solana/web3.js'
import { getTransferCheckedInstruction } from '@solana-program/token'
import { afterAll, expect, test } from 'vitest'
import { openKeys, solanaAddressOf } from '@/sandbox/chains'
import { serveRpc } from '@/sandbox/http'
import { startSolana } from '@/sandbox/solana/chain'
import { USDC, usdcAccountOf } from '@/sandbox/solana/tokens'

const folder = mkdtempSync(path.join(tmpdir(), 'solana-'))
const keys = openKeys(folder)
const payer = await createKeyPairSignerFromBytes(Buffer.from(keys.facilitator.solana, 'base64'))
const receiver = solanaAddressOf(keys.receiver.solana)
const open = async (where?: string) => {
  const chain = await startSolana({ folder: where, payer: payer.address, receiver })
  const server = await serveRpc(() => chain.answer, [0])
  const stop = async () => {
    await server.close()
    chain.stop()
  }
  return { ...chain, rpc: createSolanaRpc(server.url), url: server.url, stop }
}
type Chain = Awaited<ReturnType<typeof open>>

const chain = await open()
const { rpc } = chain
afterAll(async () => {
  await chain.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function wallet({ fund }: Chain = chain): Promise<KeyPairSigner> {
  const signer = await generateKeyPairSigner()
  await fund(signer.address, 9_000_000n)
  return signer
}

async function transfer(from: KeyPairSigner, amount: bigint, { rpc }: Chain = chain) {
  const { value: lifetime } = await rpc.getLatestBlockhash().send()
  const instruction = getTransferCheckedInstruction({
    source: await usdcAccountOf(from.address),
    mint: USDC,
    destination: await usdcAccountOf(receiver),
    authority: from,
    amount,
    decimals: 6,
  })
  const signed = await pipe(
    createTransactionMessage({ version: 0 }),
    (message) => setTransactionMessageFeePayerSigner(payer, message),
    (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
    (message) => appendTransactionMessageInstructions([instruction], message),
    signTransactionMessageWithSigners,
  )
  return { wire: getBase64EncodedWireTransaction(signed), signature: getSignatureFromTransaction(signed), lifetime }
}

const submit = (wire: Awaited<ReturnType<typeof transfer>>['wire'], { rpc }: Chain = chain, skipPreflight = false) =>
  rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight }).send()
const because = (code: number) => ({ cause: { context: { __code: code } } })
const usdcOf = async (owner: Address, { rpc }: Chain = chain) =>
  (await rpc.getTokenAccountBalance(await usdcAccountOf(owner)).send()).value

test('a transfer is final at once, and every method tells the same of it', async () => {
  const from = await wallet()
  const before = BigInt((await usdcOf(receiver)).amount)
  const { wire, signature } = await transfer(from, 2_500_000n)
  const lamports = (await rpc.getBalance(payer.address).send()).value
  expect(await submit(wire)).toBe(signature)

  expect(await usdcOf(from.address)).toEqual({
    amount: '6500000',
    decimals: 6,
    uiAmount: 6.5,
    uiAmountString: '6.5',
  })
  expect((await usdcOf(receiver)).amount).toBe(String(before + 2_500_000n))
  const { value: statuses } = await rpc.getSignatureStatuses([signature]).send()
  expect(statuses[0]).toMatchObject({ err: null, confirmationStatus: 'finalized' })
  const [latest] = await rpc.getSignaturesForAddress(await usdcAccountOf(receiver), { limit: 1 }).send()
  expect(latest).toMatchObject({ signature, err: null, memo: null })

  const told = await rpc.getTransaction(signature, { encoding: 'base64', maxSupportedTransactionVersion: 0 }).send()
  expect(told?.transaction[0]).toBe(wire)
  const balanceAfter = (await rpc.getBalance(payer.address).send()).value
  expect(told?.meta?.fee).toBe(lamports - balanceAfter)
  const index = (told?.meta?.postTokenBalances ?? []).findIndex(({ owner }) => owner === receiver)
  const [earlier, later] = [told?.meta?.preTokenBalances, told?.meta?.postTokenBalances].map((balances) =>
    BigInt(balances?.[index]?.uiTokenAmount.amount ?? -1),
  )
  expect(later! - earlier!).toBe(2_500_000n)
  const parsed = await rpc
    .getTransaction(signature, { encoding: 'jsonParsed', maxSupportedTransactionVersion: 0 })
    .send()
  expect(parsed?.transaction.message.accountKeys[0]).toMatchObject({
    pubkey: payer.address,
    signer: true,
    writable: true,
  })
})

test('a transaction lands once', async () => {
  const { wire, signature } = await transfer(await wallet(), 1n)
  await submit(wire)
  await expect(submit(wire)).rejects.toMatchObject(because(SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED))
  expect(await submit(wire, chain, true)).toBe(signature)
  const { value } = await rpc.simulateTransaction(wire, { encoding: 'base64' }).send()
  expect(value.err).toBe('AlreadyProcessed')
})

test('a blockhash is good for 150 slots', async () => {
  const { wire, lifetime } = await transfer(await wallet(), 1n)
  expect((await rpc.isBlockhashValid(lifetime.blockhash).send()).value).toBe(true)
  chain.skipSlots(149)
  expect((await rpc.simulateTransaction(wire, { encoding: 'base64' }).send()).value.err).toBeNull()
  chain.skipSlots(2)
  expect((await rpc.isBlockhashValid(lifetime.blockhash).send()).value).toBe(false)
  expect(await rpc.getBlockHeight().send()).toBeGreaterThan(lifetime.lastValidBlockHeight)
  await expect(submit(wire)).rejects.toMatchObject(because(SOLANA_ERROR__TRANSACTION_ERROR__BLOCKHASH_NOT_FOUND))
})

test('too little money fails before it lands, or on the chain where nobody looked first', async () => {
  const from = await wallet()
  const { wire, signature } = await transfer(from, 9_000_001n)
  await expect(submit(wire)).rejects.toMatchObject({ context: { unitsConsumed: expect.anything() } })
  expect((await rpc.getSignatureStatuses([signature]).send()).value[0]).toBeNull()
  await submit(wire, chain, true)
  expect((await rpc.getSignatureStatuses([signature]).send()).value[0]?.err).toEqual({
    InstructionError: [0n, { Custom: 1n }],
  })
  expect((await usdcOf(from.address)).amount).toBe('9000000')
})

test('a signature that is missing or wrong is refused', async () => {
  const { wire } = await transfer(await wallet(), 1n)
  const bytes = Buffer.from(wire, 'base64')
  bytes[70] = bytes[70]! ^ 1
  const forged = bytes.toString('base64') as typeof wire
  await expect(submit(forged)).rejects.toThrow()
  await expect(submit(forged, chain, true)).rejects.toThrow()
  const told = await rpc.simulateTransaction(forged, { encoding: 'base64', sigVerify: true }).send()
  expect(told.value.err).toBe('SignatureFailure')
  expect((await rpc.simulateTransaction(forged, { encoding: 'base64' }).send()).value.err).toBeNull()
})

test('history is told newest first, from and to a signature', async () => {
  const from = await wallet()
  const sent: string[] = []
  for (let amount = 1n; amount <= 4n; amount++) sent.unshift(await submit((await transfer(from, amount)).wire))
  const told = async (options: object) =>
    (await rpc.getSignaturesForAddress(from.address, options).send()).map(({ signature }) => signature)
  expect(await told({})).toEqual(sent)
  expect(await told({ limit: 2 })).toEqual(sent.slice(0, 2))
  expect(await told({ before: sent[1] })).toEqual(sent.slice(2))
  expect(await told({ until: sent[2] })).toEqual(sent.slice(0, 2))
  expect(await told({ before: sent[0], until: sent[3] })).toEqual(sent.slice(1, 3))
})

test('web3.js finds its way', async () => {
  const connection = new Connection(chain.url)
  const from = await generateKeyPairSigner()
  const key = new PublicKey(from.address)
  await connection.requestAirdrop(key, 2_000_000_000)
  const to = new PublicKey((await generateKeyPairSigner()).address)
  const { blockhash, lastValidBlockHeight } = await connection.getLatestBlockhash()
  const transaction = new Transaction({ feePayer: key, blockhash, lastValidBlockHeight }).add(
    SystemProgram.transfer({ fromPubkey: key, toPubkey: to, lamports: 1_000_000_000 }),
  )
  expect((await connection.getFeeForMessage(transaction.compileMessage())).value).toBe(5_000)
  const signed = await crypto.subtle.sign(
    'Ed25519',
    from.keyPair.privateKey,
    Uint8Array.from(transaction.serializeMessage()),
  )
  transaction.addSignature(key, Buffer.from(signed))
  const signature = await connection.sendRawTransaction(transaction.serialize())
  expect((await connection.getSignatureStatus(signature)).value?.confirmationStatus).toBe('finalized')
  expect(await connection.getBalance(to)).toBe(1_000_000_000)
  expect((await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 }))?.meta?.fee).toBe(5_000)
  const parsed = await connection.getParsedTransaction(signature)
  expect(parsed?.transaction.message.accountKeys.map(({ signer }) => signer)).toEqual([true, false, false])
  expect(
    await connection.getParsedTokenAccountsByOwner(new PublicKey(receiver), { mint: new PublicKey(USDC) }),
  ).toMatchObject({
    value: [{ account: { data: { parsed: { info: { mint: USDC } } } } }],
  })
  expect(await connection.getVersion()).toMatchObject({ 'solana-core': expect.any(String) })
  expect(await connection.getEpochInfo()).toMatchObject({ epoch: expect.any(Number) })
  expect(await connection.getMinimumBalanceForRentExemption(165)).toBeGreaterThan(1_000_000)
  const [known, unknown] = await connection.getMultipleAccountsInfo([new PublicKey(USDC), PublicKey.unique()])
  expect([known?.data.length, unknown]).toEqual([82, null])
})

test('what a node refuses is refused in its words', async () => {
  const nobody = address(getBase58Decoder().decode(new Uint8Array(32).fill(7)))
  expect((await rpc.getAccountInfo(nobody, { encoding: 'base64' }).send()).value).toBeNull()
  await expect(rpc.getTokenAccountBalance(nobody).send()).rejects.toThrow('could not find account')
  const ask = async (method: string, params: unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(chain.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    return response.json() as Promise<object>
  }
  for (const [method, params] of [
    ['getAccountInfo', ['nonsense']],
    ['getBalance', []],
    ['sendTransaction', ['!!!', { encoding: 'base64' }]],
    ['simulateTransaction', [7]],
    ['sandbox_fund', [USDC, '-1']],
  ] as const) {
    expect(await ask(method, [...params])).toMatchObject({ error: { code: -32602 } })
  }
  for (const method of ['toString', 'constructor', 'getBlock']) {
    expect(await ask(method, [])).toMatchObject({ error: { code: -32601 } })
  }
})

test('a restart keeps balances, history, what landed and which blockhashes are good', async () => {
  const first = await open(folder)
  const from = await wallet(first)
  const { wire, signature } = await transfer(from, 4_000_000n, first)
  const later = await transfer(from, 1_000_000n, first)
  await submit(wire, first)
  await first.stop()
  const file = path.join(folder, 'solana.jsonl')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  // A crash in the middle of a line.
  appendFileSync(file, '{"transaction":{"signature":"torn')

  const second = await open(folder)
  expect((await usdcOf(from.address, second)).amount).toBe('5000000')
  expect((await second.rpc.getSignaturesForAddress(from.address).send())[0]?.signature).toBe(signature)
  expect((await second.rpc.simulateTransaction(wire, { encoding: 'base64' }).send()).value.err).toBe('AlreadyProcessed')
  await submit(later.wire, second)
  expect((await usdcOf(receiver, second)).amount).toBe('5000000')
  second.skipSlots(151)
  const slot = await second.rpc.getSlot().send()
  await second.stop()

  const third = await open(folder)
  expect(await third.rpc.getSlot().send()).toBeGreaterThanOrEqual(slot)
  expect((await usdcOf(receiver, third)).amount).toBe('5000000')
  await third.stop()
  expect(readFileSync(file, 'utf8')).not.toContain('torn')
})

test('a journal that is damaged in the middle stops the start, and is left as it is', async () => {
  const damaged = mkdtempSync(path.join(tmpdir(), 'solana-'))
  const file = path.join(damaged, 'solana.jsonl')
  writeFileSync(file, 'nonsense\n{}\n')
  await expect(open(damaged)).rejects.toThrow('line 1')
  expect(readFileSync(file, 'utf8')).toBe('nonsense\n{}\n')
  rmSync(damaged, { recursive: true })
})
