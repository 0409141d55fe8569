import Link from 'next/link'
import type { ComponentProps } from 'react'

type DocLinkProps = Omit<ComponentProps<'a'>, 'href'> & { href: string }

/** Files of the interface description are fetched whole; Next serves the rest as pages. */
const isPage = (href: string): boolean => href.startsWith('/') && !/^\/(?:doc\/|llms\.txt)/.test(href)

export function DocLink({ href, ...props }: DocLinkProps) {
  if (isPage(href)) return <Link href={href} prefetch={false} {...props} />
  if (href.startsWith('#') || href.startsWith('/')) return <a href={href} {...props} />
  return <a href={href} target="_blank" rel="noopener noreferrer" {...props} />
}
