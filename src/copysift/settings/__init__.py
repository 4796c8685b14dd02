"""Every option, declared once; command line, config file, REST and docs come from here."""
