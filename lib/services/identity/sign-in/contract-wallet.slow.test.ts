import { once } from 'node:events'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import {
  createWalletClient,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  http,
  keccak256,
  parseAbi,
  publicActions,
  serializeErc6492Signature,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { base } from 'viem/chains'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { signInText } from '@/lib/contract/sign-in-format'
import { testDatabase } from '@/lib/db/testing'
import { resetPerProcess } from '@/lib/kernel/per-process'
import { eventually } from '@/lib/kernel/testing/time'
import {
  encodeHeader,
  signedPayload,
  signInFields,
  type TestWallet,
  testWallet,
} from '@/lib/services/identity/sign-in/testing'
import { verifySignIn } from '@/lib/services/identity/sign-in/verify'
import { testContext, withEnvironment } from '@/lib/services/identity/testing'
import { testChains } from '@/sandbox/testing'

const database = await testDatabase()
const chains = await testChains()

/** A wallet of one owner that may also answer as no wallet should, and what deploys it at an address known before. */
const SOURCE = `
pragma solidity ^0.8.20;
contract Wallet {
  address immutable owner;
  uint256 immutable mood;
  constructor(address owner_, uint256 mood_) { owner = owner_; mood = mood_; }
  function isValidSignature(bytes32 hash, bytes calldata sig) external view returns (bytes32) {
    if (mood == 1) revert("no");
    if (mood == 2) { while (true) {} }
    if (mood == 3) return bytes32(uint256(1));
    if (mood == 4) { assembly { mstore(0, shl(224, 0x1626ba7e)) return(0, 4) } }
    if (mood == 5) { assembly { mstore(0, shl(224, 0x1626ba7e)) return(0, 4096) } }
    (bytes32 r, bytes32 s) = (bytes32(sig[0:32]), bytes32(sig[32:64]));
    return ecrecover(hash, uint8(sig[64]), r, s) == owner ? bytes32(bytes4(0x1626ba7e)) : bytes32(0);
  }
}
error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData);
contract Elsewhere {
  string url;
  constructor(string memory url_) { url = url_; }
  function isValidSignature(bytes32, bytes calldata) external view returns (bytes32) {
    string[] memory urls = new string[](1);
    urls[0] = url;
    revert OffchainLookup(address(this), urls, "", this.answer.selector, "");
  }
  function answer(bytes calldata, bytes calldata) external pure returns (bytes32) {
    return bytes32(bytes4(0x1626ba7e));
  }
}
contract Factory {
  function make(address owner, uint256 salt) external returns (address) {
    return address(new Wallet{salt: bytes32(salt)}(owner, 0));
  }
}`

type Artifact = { evm: { bytecode: { object: string } } }

function compile(): { wallet: Hex; elsewhere: Hex; factory: Hex } {
  const solc = createRequire(import.meta.url)('solc') as { compile: (input: string) => string }
  const settings = { outputSelection: { '*': { '*': ['evm.bytecode.object'] } }, evmVersion: 'cancun' }
  const input = { language: 'Solidity', sources: { 'a.sol': { content: SOURCE } }, settings }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as { contracts: { 'a.sol': Record<string, Artifact> } }
  const code = (name: string): Hex => `0x${output.contracts['a.sol'][name]!.evm.bytecode.object}`
  return { wallet: code('Wallet'), elsewhere: code('Elsewhere'), factory: code('Factory') }
}

const WALLET = parseAbi(['constructor(address owner, uint256 mood)'])
const ELSEWHERE = parseAbi(['constructor(string url)'])
const FACTORY = parseAbi(['function make(address owner, uint256 salt) returns (address)'])
const code = compile()
const house = createWalletClient({
  account: privateKeyToAccount(chains.sandbox.facilitator.evm as Hex),
  chain: base,
  transport: http(chains.sandbox.evmUrl),
}).extend(publicActions)

async function deploy(
  abi: typeof WALLET | typeof ELSEWHERE | [],
  bytecode: Hex,
  args: readonly unknown[],
): Promise<Hex> {
  const hash = await house.deployContract({ abi, bytecode, args } as Parameters<typeof house.deployContract>[0])
  const { contractAddress } = await house.waitForTransactionReceipt({ hash })
  return contractAddress!
}

/** A wallet that is a contract, whose owner signs for it. */
async function contractWallet(mood = 0): Promise<TestWallet & { owner: TestWallet }> {
  const owner = testWallet()
  const address = await deploy(WALLET, code.wallet, [owner.address, BigInt(mood)])
  return { ...owner, address, owner }
}

const verify = async (payload: object, clientAddress?: string) =>
  verifySignIn(testContext({ clientAddress, headers: { 'SIGN-IN-WITH-X': encodeHeader(payload) } }), {
    mayRepeat: false,
  })

const INVALID = { code: 'X402_SIGN_IN_INVALID_SIGNATURE', status: 401 }
const spent = () => database.query('select 1 from sign_in_nonce')

let factory: Hex
beforeAll(async () => {
  factory = await deploy([], code.factory, [])
})
beforeEach(() => {
  resetPerProcess('failure-budget')
  resetPerProcess('contract-wallets')
})

describe('a wallet that is a contract', () => {
  test('signs in with its owner’s signature', async () => {
    const wallet = await contractWallet()
    const payload = { ...(await signedPayload(wallet)), type: 'eip1271' }
    expect(await verify(payload)).toMatchObject({ address: wallet.address.toLowerCase(), family: 'evm' })
    await expect(verify(payload)).rejects.toMatchObject({ code: 'X402_SIGN_IN_NONCE_REUSED' })
  })

  test('does not sign in with another’s, nor with a text that was altered', async () => {
    const wallet = await contractWallet()
    const stranger = { ...testWallet(), address: wallet.address }
    await expect(verify(await signedPayload(stranger))).rejects.toMatchObject(INVALID)
    const payload = await signedPayload(wallet)
    const message = payload.message.replace('Lagoon', 'lagoon')
    await expect(verify({ ...payload, message })).rejects.toMatchObject(INVALID)
  })

  test.each([
    ['reverts', 1],
    ['never ends', 2],
    ['says something else', 3],
    ['says it in four bytes', 4],
    ['says it in too many', 5],
  ])('that %s signs nobody in', async (_, mood) => {
    await expect(verify(await signedPayload(await contractWallet(mood)))).rejects.toMatchObject(INVALID)
  })

  test('that sends us to an address of its own (EIP-3668) makes us ask nobody, and signs nobody in', async () => {
    let visits = 0
    const trap = createServer((_request, response) => {
      visits++
      response.end('{"data":"0x"}')
    }).listen(0, '127.0.0.1')
    await once(trap, 'listening')
    try {
      const { port } = trap.address() as AddressInfo
      const address = await deploy(ELSEWHERE, code.elsewhere, [`http://127.0.0.1:${port}/{sender}/{data}`])
      const attempt = verify(await signedPayload({ ...testWallet(), address }))
      await expect(attempt).rejects.toMatchObject(INVALID)
      expect(visits).toBe(0)
    } finally {
      trap.close()
    }
  })

  test('the owner’s own account is another one', async () => {
    const { owner, address } = await contractWallet()
    const [one, two] = [
      await verify(await signedPayload(owner)),
      await verify(await signedPayload({ ...owner, address })),
    ]
    expect(one.accountId).not.toBe(two.accountId)
  })
})

describe('a wallet that is not deployed yet (EIP-6492)', () => {
  async function future() {
    const owner = testWallet()
    const data = encodeFunctionData({ abi: FACTORY, functionName: 'make', args: [owner.address as Hex, 7n] })
    const initCode = `${code.wallet}${owner.address.slice(2).toLowerCase().padStart(64, '0')}${'0'.repeat(64)}` as Hex
    const address = getContractAddress({
      opcode: 'CREATE2',
      from: factory,
      salt: `0x${'7'.padStart(64, '0')}`,
      bytecodeHash: keccak256(initCode),
    })
    const wrap = (signature: string, to = factory) =>
      serializeErc6492Signature({ address: to, data, signature: signature as Hex })
    return { wallet: { ...owner, address }, wrap }
  }

  test('signs in with the way to deploy it', async () => {
    const { wallet, wrap } = await future()
    const payload = await signedPayload(wallet)
    await expect(verify(payload)).rejects.toMatchObject(INVALID)
    const { address } = await verify({ ...payload, signature: wrap(payload.signature) })
    expect(address).toBe(wallet.address.toLowerCase())
    expect(await house.getCode({ address: wallet.address as Hex })).toBeUndefined()
  })

  test('does not sign in with another’s signature, or another factory', async () => {
    const { wallet, wrap } = await future()
    const payload = await signedPayload(wallet)
    const other = await signedPayload({ ...testWallet(), address: wallet.address })
    await expect(verify({ ...payload, signature: wrap(other.signature) })).rejects.toMatchObject(INVALID)
    const nowhere = wrap(payload.signature, `0x${'12'.repeat(20)}`)
    await expect(verify({ ...payload, signature: nowhere })).rejects.toMatchObject(INVALID)
    await expect(verify({ ...payload, signature: `0x${'64'.repeat(20)}${'6492'.repeat(16)}` })).rejects.toMatchObject(
      INVALID,
    )
  })
})

describe('a key’s signature', () => {
  test('needs no node, and its malleable twin gets no help from one', async () => {
    const wallet = testWallet()
    const { signature, ...payload } = await signedPayload(wallet)
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const s = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0')
    const twin = signature.slice(0, 66) + s + (signature.endsWith('1b') ? '1c' : '1b')
    await expect(verify({ ...payload, signature: twin })).rejects.toMatchObject(INVALID)
    await withEnvironment({ SANDBOX: 'off', WALLET_RPC_URL_EVM: 'http://127.0.0.1:1' }, () =>
      verify({ ...payload, signature }),
    )
  })
})

describe('bounds', () => {
  test('a client may ask the nodes sixty times a minute, and others still may', async () => {
    const payload = { ...(await signedPayload(testWallet())), signature: `0x${'11'.repeat(70)}` }
    const codes: string[] = []
    // More than two minutes allow, should a new one begin among them.
    for (let n = 0; n < 125; n++) codes.push(await verify(payload, '192.0.2.77').catch(({ code }) => code))
    expect(codes.slice(0, 60)).toEqual(Array(60).fill(INVALID.code))
    expect(codes.slice(60)).toContain('RATE_LIMIT_EXCEEDED')
    await expect(verify(payload)).rejects.toMatchObject(INVALID)
  })

  test('a client with many slow lookups leaves room for others, and a lookup that is given up is not left running', async () => {
    let open = 0
    let max = 0
    const silent = createServer((_request, response) => {
      max = Math.max(max, ++open)
      response.on('close', () => open--)
    }).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const payload = { ...(await signedPayload(testWallet())), signature: `0x${'11'.repeat(70)}` }
    try {
      await withEnvironment({ SANDBOX: 'off', WALLET_RPC_URL_EVM: `http://127.0.0.1:${port}` }, async () => {
        const attempts = Array.from({ length: 1_000 }, () => verify(payload, '192.0.2.78').catch((error) => error))
        const other = verify(payload, '192.0.2.79').catch((error) => error)
        const errors = await Promise.all(attempts)
        expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['SERVICE_UNAVAILABLE']))
        expect(errors.filter(({ message }) => message.startsWith('Too many'))).toHaveLength(990)
        expect(await other).toMatchObject({ message: expect.stringContaining('cannot be checked') })
        expect(max).toBe(11)
      })
      await eventually(() => expect(open).toBe(0))
    } finally {
      silent.closeAllConnections()
      silent.close()
    }
  })

  test.each([
    ['refuses connections', 'http://127.0.0.1:1'],
    ['is no node', 'http://127.0.0.1:1/nothing,http://127.0.0.1:1/neither'],
  ])('a node that %s is our fault: try again, and nothing is spent', async (_, url) => {
    const wallet = testWallet()
    const text = signInText(signInFields(wallet))
    const payload = { ...(await signedPayload(wallet, text)), signature: `0x${'11'.repeat(70)}` }
    const before = await spent()
    await withEnvironment({ SANDBOX: 'off', WALLET_RPC_URL_EVM: url }, async () => {
      await expect(verify(payload)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5 })
    })
    expect(await spent()).toEqual(before)
  })
})
