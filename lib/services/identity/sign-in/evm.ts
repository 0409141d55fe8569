import 'server-only'
import { isSignedByContract } from '@/lib/services/identity/sign-in/contract-wallet'
import { recoverSigner } from '@/lib/services/identity/sign-in/recovery'

const HEX = /^0x(?:[0-9a-fA-F]{2})+$/
const KEY_SIGNATURE_BYTES = 65
/** The order of secp256k1. Of two valid signatures s and n - s only the lower counts (EIP-2), as on chain. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

export type EvmProof = {
  /** In lower case. */
  address: string
  text: string
  signature: string
  client: string
  assertAllowed: () => void
}

/**
 * Whether the wallet signed the text (EIP-191): a key's own signature, else, when a node is configured, what the wallet's
 * contract says of it (EIP-1271, EIP-6492).
 *
 * @throws ApiError SERVICE_UNAVAILABLE or RATE_LIMIT_EXCEEDED when it cannot be checked now.
 */
export async function isSignedByEvm(proof: EvmProof): Promise<boolean> {
  const { signature } = proof
  if (!isHex(signature)) return false
  const bytes = (signature.length - 2) / 2
  if (bytes < KEY_SIGNATURE_BYTES) return false
  if (bytes === KEY_SIGNATURE_BYTES && isCanonical(signature)) {
    const signer = await recoverSigner({ ...proof, signature })
    if (signer === proof.address) return true
  }
  proof.assertAllowed()
  return isSignedByContract({ ...proof, signature })
}

const isHex = (text: string): text is `0x${string}` => HEX.test(text)

/** The library refuses an r or s of zero or beyond the order; the malleable twin of a signature it takes. */
function isCanonical(signature: string): boolean {
  const r = BigInt(signature.slice(0, 66))
  const s = BigInt(`0x${signature.slice(66, 130)}`)
  return r > 0n && r < ORDER && s > 0n && s <= ORDER / 2n
}
