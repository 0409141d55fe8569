import type { ReactNode } from 'react'
import { ready } from '@/app/page-language'
import { DocsFrame } from '@/components/docs/docs-frame'
import { docsTree } from '@/lib/endpoints/docs/pages'
import './docs.css'

export default async function DocsLayout({ children }: { children: ReactNode }) {
  await ready()
  return <DocsFrame tree={docsTree()}>{children}</DocsFrame>
}
