'use client'

import { useMutation } from '@tanstack/react-query'
import { connectSigner, type Signer } from '@/components/rpc/sign/use-signer'
import { Button } from '@/components/ui/button'
import { showToast } from '@/components/ui/toast'
import { postJson } from '@/lib/browser/api'
import { failureOf } from '@/lib/browser/failure'
import { shortAddress } from '@/lib/browser/format/address'
import type { WalletPort } from '@/lib/browser/wallet-port'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

type SignerChoiceProps = {
  network: RpcNetwork
  isLocal: boolean
  signers: readonly Signer[]
  signer: Signer | undefined
  onChoose: (port: WalletPort) => void
}

/** Who signs. Where the chain is a local one, the wallet can be given test coins. */
export function SignerChoice({ network, isLocal, signers, signer, onChoose }: SignerChoiceProps) {
  const connect = useMutation({ mutationFn: connectSigner })
  return (
    <fieldset className="rounded-card border border-line bg-surface p-3">
      <legend className="px-1 text-13 font-medium">{t('Signer')}</legend>
      {signers.map(({ port, problem }) => (
        <div key={port.address} className="py-1">
          <label className="flex min-h-8 items-center gap-2 pointer-coarse:min-h-11">
            <input
              type="radio"
              name="signer"
              checked={port.address === signer?.port.address}
              disabled={problem !== undefined}
              onChange={() => onChoose(port)}
              className="size-4"
            />
            <span className="min-w-0 flex-1 truncate">
              {port.name}{' '}
              <span dir="ltr" className="font-mono text-13 text-ink-3">
                {shortAddress(port.address)}
              </span>
            </span>
          </label>
          {problem && <p className="ps-6 text-13 text-ink-3">{problem}</p>}
        </div>
      ))}
      {signers.length === 0 && <p className="py-1 text-13 text-ink-2">{t('No wallet connected.')}</p>}
      <div className="mt-1 flex flex-wrap gap-2">
        {signers.every(({ port }) => port.isTest) && !isLocal && (
          <Button disabled={connect.isPending} onClick={() => connect.mutate()}>
            {t('Connect a wallet')}
          </Button>
        )}
        {isLocal && signer && <TestEther network={network} address={signer.port.address} />}
      </div>
      {connect.error && <p className="mt-2 text-13 text-danger">{connect.error.message}</p>}
    </fieldset>
  )
}

/** The faucet of the sandbox. */
function TestEther({ network, address }: { network: RpcNetwork; address: string }) {
  const ask = useMutation({
    mutationFn: () => postJson('/api/sandbox/ether', { network: network.slug, address }),
    onSuccess: () =>
      showToast({
        text: t('10 test {currency} sent to {address}', { currency: network.currency, address: shortAddress(address) }),
      }),
  })
  return (
    <>
      <Button disabled={ask.isPending} onClick={() => ask.mutate()}>
        {ask.isPending ? t('One moment…') : t('Get test {currency}', { currency: network.currency })}
      </Button>
      {ask.error && <p className="w-full text-13 text-danger">{failureOf(ask.error).message}</p>}
    </>
  )
}
