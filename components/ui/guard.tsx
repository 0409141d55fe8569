'use client'

import { Component, type ReactNode } from 'react'

type GuardProps = { instead: ReactNode; children: ReactNode }

export class Guard extends Component<GuardProps, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    return this.state.hasFailed ? this.props.instead : this.props.children
  }
}
