'use client'

import { Component, type ReactNode } from 'react'

type GuardProps = {
  /** Shown in the place of what failed to draw. */
  instead: ReactNode
  children: ReactNode
}

/** A part that fails to draw does not take the page with it. */
export class Guard extends Component<GuardProps, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    return this.state.hasFailed ? this.props.instead : this.props.children
  }
}
