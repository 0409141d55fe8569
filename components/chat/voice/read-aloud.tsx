'use client'

import dynamic from 'next/dynamic'
import { useEffect } from 'react'
import { requestReadAloud, useReadAloudRequest } from '@/components/chat/voice/read-aloud-store'

const ReadAloudBar = dynamic(() => import('@/components/chat/voice/read-aloud-bar').then((m) => m.ReadAloudBar), {
  ssr: false,
})

export function ReadAloud() {
  const wanted = useReadAloudRequest()
  useEffect(() => () => requestReadAloud(undefined), [])
  return wanted && <ReadAloudBar key={wanted.turnId} wanted={wanted} />
}
