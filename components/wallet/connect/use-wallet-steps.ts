import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { announce } from '@/components/ui/announcer'
import { showToast } from '@/components/ui/toast'
import type { Way } from '@/components/wallet/connect/offers'
import {
  type Challenge,
  fetchChallenge,
  type SignInProblem,
  signIn,
  signInProblem,
} from '@/components/wallet/connect/sign-in'
import { connectWallet, keepPort } from '@/components/wallet/connect/wallet'
import { testFundsQuery } from '@/components/wallet/top-up/holdings'
import { settleWallet, type WalletRequest } from '@/lib/browser/dialogs'
import { isSameAddress, shortAddress } from '@/lib/browser/format/address'
import { rememberSession } from '@/lib/browser/session'
import type { WalletPort } from '@/lib/browser/wallet-port'
import type { Session } from '@/lib/contract/session'
import { t } from '@/lib/i18n/t'

export type Chosen = { name: string; icon?: string | undefined; way: Way }

export type Step =
  | { name: 'choose'; failed?: { chosen: Chosen; problem: SignInProblem } }
  | { name: 'connecting'; chosen: Chosen }
  /** Connected, but with another account than the session's. */
  | { name: 'other-account'; port: WalletPort }
  | { name: 'verify'; port: WalletPort; isSigning: boolean; problem?: SignInProblem; isSwitched?: boolean }
  | { name: 'ready'; port: WalletPort; session: Session }

export const CHALLENGE_KEY = ['sign-in-challenge'] as const

/**
 * Steps of the dialog. Every step that opens the wallet's window starts with a click; what a wallet answers after the
 * person went on is dropped.
 */
export function useWalletSteps(request: WalletRequest) {
  const client = useQueryClient()
  const [step, setStep] = useState<Step>({ name: 'choose' })
  const attempt = useRef(new AbortController())
  useEffect(() => () => attempt.current.abort(), [])
  const verifyingPort = step.name === 'verify' ? step.port : undefined
  useEffect(() => {
    if (!verifyingPort) return
    return verifyingPort.onSwitch((next) => {
      attempt.current.abort()
      keepPort(next)
      if (!next) return setStep({ name: 'choose' })
      announce(t('{wallet} switched to another account', { wallet: next.name }))
      setStep({ name: 'verify', port: next, isSigning: false, isSwitched: true })
    })
  }, [verifyingPort])

  const begin = (): AbortSignal => {
    attempt.current.abort()
    attempt.current = new AbortController()
    return attempt.current.signal
  }

  const connect = async (chosen: Chosen) => {
    const signal = begin()
    setStep({ name: 'connecting', chosen })
    announce(t('Waiting for {name}', { name: chosen.name }))
    try {
      const port = await connectWallet(chosen.way)
      if (signal.aborted) return
      keepPort(port)
      if (!request.session) return setStep({ name: 'verify', port, isSigning: false })
      if (isSameAddress(port.address, request.session.address ?? '')) return settleWallet(request.session)
      setStep({ name: 'other-account', port })
    } catch (error) {
      if (signal.aborted) return
      const problem = signInProblem(error)
      announce(problem.message)
      setStep({ name: 'choose', failed: { chosen, problem } })
    }
  }

  const verify = async (port: WalletPort, shown: Challenge) => {
    const signal = begin()
    setStep({ name: 'verify', port, isSigning: true })
    announce(t('Waiting for {name}', { name: port.name }))
    try {
      // A tab that slept may show a code that is no longer good.
      const challenge = performance.now() < shown.staleAt ? shown : await fetchChallenge(signal)
      const session = await signIn(port, challenge, signal)
      await rememberSession(client, session)
      if (port.isTest) void client.prefetchQuery(testFundsQuery(port.family, port.address))
      if (!request.session && !request.why) {
        announce(t('Signed in'))
        return setStep({ name: 'ready', port, session })
      }
      // Who came to do something goes on with it.
      showToast({ text: t('Signed in as {address}', { address: shortAddress(port.address) }) })
      settleWallet(session)
    } catch (error) {
      if (signal.aborted) return
      const problem = signInProblem(error)
      if (problem.needsChallenge) void client.resetQueries({ queryKey: CHALLENGE_KEY })
      announce(problem.message)
      setStep({ name: 'verify', port, isSigning: false, problem })
    }
  }

  return {
    step,
    connect,
    verify,
    /** Stops waiting for the wallet; its window may still be open, and its answer no longer counts. */
    cancel: () => {
      attempt.current.abort()
      announce(t('Cancelled'))
      setStep((current) =>
        current.name === 'verify' ? { name: 'verify', port: current.port, isSigning: false } : { name: 'choose' },
      )
    },
    chooseAgain: () => {
      attempt.current.abort()
      setStep({ name: 'choose' })
    },
    signInAs: (port: WalletPort) => setStep({ name: 'verify', port, isSigning: false }),
  }
}
