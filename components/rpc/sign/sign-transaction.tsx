'use client'

import { Signature } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { TOOL } from '@/components/rpc/notices'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

const SignSheet = dynamic(() => import('@/components/rpc/sign/sign-sheet').then((module) => module.SignSheet), {
  ssr: false,
})

type SignTransactionProps = { network: RpcNetwork; onSigned: (raw: `0x${string}`) => void }

export function SignTransaction({ network, onSigned }: SignTransactionProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button type="button" aria-haspopup="dialog" onClick={() => setIsOpen(true)} className={TOOL}>
        <Signature aria-hidden="true" />
        {t('Sign and send')}
      </button>
      {isOpen && <SignSheet network={network} onSigned={onSigned} onClose={() => setIsOpen(false)} />}
    </>
  )
}
