'use client'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { CircleAlert, QrCode } from 'lucide-react'
import { useMemo, useState } from 'react'
import { encode } from 'uqr'
import { announce } from '@/components/ui/announcer'
import { Button, IconButton } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { Sentence } from '@/components/ui/sentence'
import { askFaucet, holdingKey } from '@/components/wallet/top-up/holdings'
import { CHAIN_NAME, shortAddress } from '@/lib/browser/format/address'
import { formatUnits } from '@/lib/browser/format/amounts'
import type { Family } from '@/lib/contract/chains'
import { t } from '@/lib/i18n/t'

type ShortOfUsdcProps = { address: string; family: Family; missing: bigint; isSandbox: boolean }

/** The wallet holds less than the amount: how much is missing, and where to send it. */
export function ShortOfUsdc({ address, family, missing, isSandbox }: ShortOfUsdcProps) {
  const [showsQr, setShowsQr] = useState(false)
  return (
    <div role="status" className="rounded-card border border-line bg-surface p-4 text-14">
      <p className="flex items-center gap-2 font-medium">
        <CircleAlert aria-hidden="true" className="size-[18px] shrink-0 text-brass" strokeWidth={1.5} />
        <span>
          <Sentence
            text="<amount/> more USDC needed"
            parts={{ amount: () => <span className="font-mono tabular-nums">{formatUnits(missing)}</span> }}
          />
        </span>
      </p>
      <p className="mt-1 text-ink-2">
        {isSandbox
          ? t('Test USDC is free in this sandbox.')
          : t('Send USDC on {chain} to your wallet. Your balance updates automatically.', {
              chain: CHAIN_NAME[family],
            })}
      </p>
      <div className="mt-3 flex flex-wrap items-center gap-2">
        {isSandbox && <Faucet address={address} family={family} />}
        <span className="inline-flex items-center rounded-control border border-line ps-3 font-mono text-12 text-ink-2">
          <span title={address}>{shortAddress(address)}</span>
          <CopyButton text={address} label={t('Copy address')} />
        </span>
        <IconButton label={t('QR code')} aria-expanded={showsQr} onClick={() => setShowsQr(!showsQr)}>
          <QrCode aria-hidden="true" />
        </IconButton>
      </div>
      {showsQr && <AddressQr address={address} family={family} />}
    </div>
  )
}

function Faucet({ address, family }: Pick<ShortOfUsdcProps, 'address' | 'family'>) {
  const client = useQueryClient()
  const faucet = useMutation({
    mutationFn: () => askFaucet(address),
    onSuccess: async (funded) => {
      await client.invalidateQueries({ queryKey: holdingKey(family, address) })
      announce(t('{amount} test USDC received', { amount: funded }))
    },
  })
  return (
    <>
      <Button kind="primary" disabled={faucet.isPending} onClick={() => faucet.mutate()}>
        {faucet.isPending ? t('Getting test USDC…') : t('Get test USDC')}
      </Button>
      {faucet.isError && <p className="w-full text-13 text-danger">{faucet.error.message}</p>}
    </>
  )
}

const QUIET_ZONE = 3

function AddressQr({ address, family }: Pick<ShortOfUsdcProps, 'address' | 'family'>) {
  const { size, path } = useMemo(() => qrPath(address), [address])
  return (
    <figure className="mt-4 flex flex-col items-center gap-2">
      <svg
        role="img"
        aria-label={t('QR code for your address on {chain}', { chain: CHAIN_NAME[family] })}
        viewBox={`0 0 ${size} ${size}`}
        shapeRendering="crispEdges"
        className="size-44 rounded-control bg-[#fff]"
      >
        <path d={path} fill="#181c23" />
      </svg>
      <figcaption className="text-center font-mono text-12 wrap-anywhere text-ink-2">{address}</figcaption>
    </figure>
  )
}

/** The dark squares as one path. Cameras want them dark on light, whatever the theme. */
function qrPath(text: string): { size: number; path: string } {
  const { data, size } = encode(text, { border: QUIET_ZONE, ecc: 'M' })
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return { size, path: squares.join('') }
}
