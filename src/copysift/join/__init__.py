"""Who shares a hash?"""
