'use client'

import { ArrowLeft } from 'lucide-react'
import Link from 'next/link'
import { TopBar } from '@/components/common/top-bar'
import { RPC_PATH } from '@/components/rpc/link'
import { Matrix } from '@/components/rpc/matrix/matrix'
import { t } from '@/lib/i18n/t'

/** The screen of the matrix, and the way back to single calls. */
export function MatrixScreen() {
  return (
    <>
      <TopBar>
        <Link
          href={RPC_PATH}
          prefetch={false}
          className="inline-flex min-h-9 items-center gap-1.5 rounded-control px-2 text-14 text-ink-2 hover:bg-hover hover:text-ink pointer-coarse:min-h-11"
        >
          <ArrowLeft aria-hidden="true" className="size-4 rtl:-scale-x-100" strokeWidth={1.5} />
          RPC
        </Link>
        <h1 className="border-s border-line ps-3 text-14 font-medium">{t('Matrix')}</h1>
      </TopBar>
      <div className="thin-scroll min-h-0 flex-1 overflow-y-auto overscroll-contain">
        <Matrix />
      </div>
    </>
  )
}
