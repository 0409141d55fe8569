import {
  createKeyPairFromPrivateKeyBytes,
  createSignerFromKeyPair,
  getAddressFromPublicKey,
  getBase58Decoder,
  signBytes,
} from '@solana/kit'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { TEST_WALLET } from '@/components/wallet/connect/offers'
import { isSameAddress } from '@/lib/browser/format/address'
import type { WalletPort } from '@/lib/browser/wallet-port'
import type { Family } from '@/lib/contract/chains'
import { t } from '@/lib/i18n/t'

// The built-in wallet of the sandbox: two keys made in this browser, for local chains where money is worth nothing.

const STORAGE_KEY = 'lagoon:test-wallet'
const SEED_BYTES = 32

// Hex. `solana` is the seed of an Ed25519 key.
type Keys = { evm: `0x${string}`; solana: string }

let keys: Keys | undefined

export async function connectTest(family: Family): Promise<WalletPort> {
  return family === 'evm' ? evmPort() : await solanaPort()
}

/** Returns the test wallet, unless this browser has forgotten the keys of this address. */
export async function reconnectTest(family: Family, address: string): Promise<WalletPort | undefined> {
  const port = await connectTest(family)
  return isSameAddress(port.address, address) ? port : undefined
}

function evmPort(): WalletPort {
  const account = privateKeyToAccount(keysOfThisBrowser().evm)
  return {
    ...common('evm', account.address),
    signMessage: (message) => account.signMessage({ message }),
    signTransaction: (transaction) => account.signTransaction(transaction),
    signPayment: async (option) => {
      const { evmPayment } = await import('@/components/wallet/top-up/payment-evm')
      const { address } = account
      return await evmPayment({ address, signTypedData: (data) => account.signTypedData(data) }, option)
    },
  }
}

async function solanaPort(): Promise<WalletPort> {
  const pair = await createKeyPairFromPrivateKeyBytes(bytesOf(keysOfThisBrowser().solana))
  return {
    ...common('solana', await getAddressFromPublicKey(pair.publicKey)),
    signMessage: async (text) =>
      getBase58Decoder().decode(await signBytes(pair.privateKey, new TextEncoder().encode(text))),
    signPayment: async (option) => {
      const { solanaPayment } = await import('@/components/wallet/top-up/payment-solana')
      return await solanaPayment(await createSignerFromKeyPair(pair), option)
    },
  }
}

const common = (family: Family, address: string) => ({
  family,
  id: TEST_WALLET,
  name: t('Test wallet'),
  address,
  isTest: true,
  onSwitch: () => () => undefined,
  disconnect: async () => undefined,
})

function keysOfThisBrowser(): Keys {
  keys ??= storedKeys() ?? newKeys()
  return keys
}

function storedKeys(): Keys | undefined {
  try {
    const stored = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? 'null') as Partial<Keys> | null
    const isWhole = /^0x[0-9a-f]{64}$/.test(stored?.evm ?? '') && /^[0-9a-f]{64}$/.test(stored?.solana ?? '')
    return isWhole ? (stored as Keys) : undefined
  } catch {
    return undefined
  }
}

function newKeys(): Keys {
  const made: Keys = {
    evm: generatePrivateKey(),
    solana: Array.from(crypto.getRandomValues(new Uint8Array(SEED_BYTES)), (byte) =>
      byte.toString(16).padStart(2, '0'),
    ).join(''),
  }
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(made))
  } catch {
    // Storage may be switched off; test money is no loss.
  }
  return made
}

const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
