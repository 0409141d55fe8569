import { useEffect, useState } from 'react'
import { signerProblem } from '@/components/rpc/sign/signer'
import { useWalletPort, wallets } from '@/lib/browser/connected-wallet'
import { openWallet } from '@/lib/browser/wallet-dialog'
import type { WalletPort } from '@/lib/browser/wallet-port'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

/** A wallet that could sign, and why it may not, if so. */
export type Signer = { port: WalletPort; problem?: string }

/**
 * The wallets that can sign for a network: the connected one, and where the chain is local the built-in one too. The
 * built-in one needs no session: its key is this page's own.
 */
export function useSigners(network: RpcNetwork, isLocal: boolean) {
  const connected = useWalletPort()
  const [test, setTest] = useState<WalletPort>()
  const [chosen, setChosen] = useState<string>()
  useEffect(() => {
    if (!isLocal) return setTest(undefined)
    let isGone = false
    void wallets()
      .then(({ testPort }) => testPort())
      .then((port) => !isGone && setTest(port))
    return () => {
      isGone = true
    }
  }, [isLocal])
  const ports = [test, connected?.isTest ? undefined : connected].filter((port) => port !== undefined)
  const signers = ports.map((port): Signer => {
    const problem = signerProblem(port, network, isLocal)
    return { port, ...(problem !== undefined && { problem }) }
  })
  const signer = signers.find(({ port }) => port.address === chosen) ?? signers.find(({ problem }) => !problem)
  return { signers, signer, choose: (port: WalletPort) => setChosen(port.address) }
}

/** Asks the person for a wallet. @throws WalletError */
export async function connectSigner(): Promise<void> {
  const session = await openWallet({ why: t('To sign a transaction') })
  if (session?.address) await (await wallets()).portFor(session)
}
